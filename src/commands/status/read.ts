/** What `gwtoken status` knows of each client without opening the keychain or running the credential command. */

import { type Client, clientName, parseClientName } from '../../client';
import { type CredentialPlan, planCredentials } from '../../credentials/plan';
import { attempt, GwtokenError } from '../../errors';
import {
  type ClientSettings,
  type FetchSettings,
  resolveAuthUrl,
  resolveClient,
  resolveFetchSettings,
  resolveProfile,
  resolveRegion,
} from '../../settings/resolve';
import type { AuthUrl, FlagValues, Given } from '../../settings/table';
import { type CacheEntry, lifeLeftMs, ownEntry } from '../../token/cache';
import { resolveQuery } from '../../token/query';
import type { WarmWorld, World } from '../../world';

export interface ClientStatus {
  readonly client: Client;
  /** Whether commands without a flag use this client. */
  readonly selected: boolean;
  /** The settings that apply to it: flags are for the selected client only. */
  readonly given: Given;
  /** Variables are the selected profile's. */
  readonly skipVariables: boolean;
  readonly credentials: CredentialPlan | GwtokenError;
  readonly clientId: string | undefined;
  /** False for a client of the keychain that neither `gwtoken login` stored nor a cached token tells of. */
  readonly hasCredentials: boolean;
  readonly authUrl: AuthUrl | GwtokenError | undefined;
  /** The auth URL that login verified it with, for a client that gwtoken stored. */
  readonly boundTo: string | undefined;
  /** What a token would be requested with; without them a cached one is not used either. */
  readonly settings: FetchSettings | GwtokenError;
  /** The cached token that would be used now: when it expires, in milliseconds since the epoch. */
  readonly token: { readonly expiresAtMs: number } | undefined;
  /** Only with --check. */
  readonly verdict?: Verdict;
}

/** What the endpoint gave: the seconds that a new token lives (undefined when it does not say), or the failure. */
export type Verdict = { readonly clientId: string; readonly lifetimeS: number | undefined } | GwtokenError;

export interface Status {
  readonly clients: readonly ClientStatus[];
  /** Why no client is selected. */
  readonly noneSelected: GwtokenError | undefined;
}

type Outside = WarmWorld & Pick<World, 'clients'>;

/** The selected client first, then the stored ones by name; with `--profile` those of that profile only. */
export function readStatus(given: Given, world: Outside): Status {
  checkFlags(given.flags);
  const selected = attempt(() => resolveClient(given).client);
  const known = Object.keys(world.clients.read())
    .sort()
    .flatMap((name) => parseClientName(name) ?? [])
    .filter(({ profile }) => profile === (given.flags['profile'] ?? profile));
  const other = (client: Client) => statusOf(client, false, { ...given, flags: {} }, world);
  if (selected instanceof GwtokenError) return { clients: known.map(other), noneSelected: selected };
  const others = known.filter((client) => clientName(client) !== clientName(selected));
  return {
    clients: [statusOf(selected, true, given, world), ...others.map(other)],
    noneSelected: undefined,
  };
}

/** A wrong flag is this command's, and no state of the settings to report. */
function checkFlags(flags: FlagValues): void {
  const alone: Given = { flags, env: {}, config: { path: '', general: {}, profiles: {} } };
  resolveRegion(alone, resolveProfile(alone).value);
}

function statusOf(client: Client, selected: boolean, given: Given, world: Outside): ClientStatus {
  const skipVariables = skipsVariables(client, given);
  const credentials = attempt(() => planCredentials(given, { client, skipVariables }, world));
  const plan = credentials instanceof GwtokenError ? undefined : credentials;
  const stored = plan?.kind === 'keychain' ? world.clients.read()[clientName(client)] : undefined;
  const entry = usableEntry(given, { client, skipVariables }, world);
  const nowMs = world.now();
  return {
    client,
    selected,
    given,
    skipVariables,
    credentials,
    clientId: plan?.kind === 'variables' ? plan.credentials.clientId : (stored?.clientId ?? entry?.clientId),
    hasCredentials: plan?.kind !== 'keychain' || stored !== undefined || entry !== undefined,
    authUrl: attempt(() => resolveAuthUrl(given, client)),
    boundTo: stored?.authUrl,
    settings: attempt(() => resolveFetchSettings(given, client.profile)),
    token: entry && { expiresAtMs: nowMs + lifeLeftMs(entry, nowMs) },
  };
}

/** What is cached for a client, if it is of the credentials and the auth URL that would be used now, and not expired. */
function usableEntry(
  given: Given,
  client: Pick<ClientSettings, 'client' | 'skipVariables'>,
  world: WarmWorld,
): CacheEntry | undefined {
  const query = attempt(() => resolveQuery(given, client, world));
  // Why no token can be requested has a line of its own in the status.
  const entry = query instanceof GwtokenError ? undefined : ownEntry(query, world);
  return entry && lifeLeftMs(entry, world.now()) > 0 ? entry : undefined;
}

/** A profile that is not the selected one has to be given by a flag, and with a flag variables are not used. */
function skipsVariables({ profile }: Client, given: Given): boolean {
  const named = attempt(() => resolveProfile(given));
  return named instanceof GwtokenError || named.value !== profile || named.source.kind === 'flag';
}
