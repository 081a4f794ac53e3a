/** The selected client and the stored ones: their state, and whether they get a token (status, doctor). */

import { type Client, clientFlags, clientName, parseClientName } from '../client';
import type { CredentialPlan } from '../credentials/plan';
import { credentialVariableNames } from '../credentials/variables';
import { attempt, GwtokenError } from '../errors';
import {
  type ClientSettings,
  flagsOnly,
  resolveApiUrl,
  resolveClient,
  resolveProfile,
  resolveRegion,
} from '../settings/resolve';
import { CLIENT_SETTINGS, type Setting, type SettingSources } from '../settings/table';
import { lifeLeftMs, ownEntry } from '../token/cache';
import { type EndpointWorld, fetchNew } from '../token/get-token';
import { minTtlProblem } from '../token/query';
import type { ConnectionProgress, KnownEntry, PostForm, QuickWorld, World } from '../world';
import { withNextSteps } from './hints';
import { type ClientParts, queryOf, resolveParts } from './query';

export interface ClientStatus extends ClientParts {
  /** The gateway's own address; undefined if none is set. */
  readonly apiUrl: Setting<string> | GwtokenError | undefined;
  /** True if commands without a flag use this client. */
  readonly selected: boolean;
  /** Sources of its settings, without the flags that name a client unless this is the selected one. */
  readonly sources: SettingSources;
  /** Kind of source of the credentials; undefined if it cannot be told. */
  readonly source: CredentialPlan['kind'] | undefined;
  readonly clientId: string | undefined;
  /** False if the keychain should have them, but neither a login nor a cached token shows that it does. */
  readonly hasCredentials: boolean;
  /** Entry that login stored, even if the credentials come from elsewhere. */
  readonly stored: KnownEntry | undefined;
  /** The cached token that would be used now, with its expiry in milliseconds since the epoch. */
  readonly token: { readonly expiresAtMs: number } | undefined;
  /** Result of --check; absent without it. */
  readonly verdict?: Verdict;
}

/** Result of a token request; the lifetime, in s, is undefined if the endpoint returned none. */
type Verdict = { readonly clientId: string; readonly lifetimeS: number | undefined } | GwtokenError;

export interface CheckedClient extends ClientStatus {
  /** Last attempt to request a token; undefined if nothing was sent. */
  readonly request: Request | undefined;
  /** Reason why nothing was tried; the verdict is then another client's, or absent. */
  readonly skipped?: string;
}

/** A request as far as it got; without a status there was no reply. */
export interface Request {
  readonly progress: ConnectionProgress;
  /** Times when the connection stood, and when the reply's headers came. */
  askedAtMs: number;
  repliedAtMs: number;
  status?: number;
  date?: string | null;
}

export interface Clients {
  readonly clients: readonly ClientStatus[];
  /** Reason why no client is selected. */
  readonly noneSelected: GwtokenError | undefined;
}

const CLIENT_KEYS: readonly string[] = Object.values(CLIENT_SETTINGS).map(({ key }) => key);

type StatusWorld = QuickWorld & Pick<World, 'clients'>;

/** Reads the selected client, then the stored ones by name; with `--profile` those of that profile only. */
export function readClients(sources: SettingSources, world: StatusWorld): Clients {
  // A wrong flag is an error of this command, not a state of the settings to report.
  const named = flagsOnly(sources);
  resolveRegion(named, resolveProfile(named).value);
  const selected = attempt(() => resolveClient(sources));
  const known = Object.keys(world.clients.read())
    .sort()
    .flatMap((name) => parseClientName(name) ?? [])
    .filter(({ profile }) => profile === (sources.flags['profile'] ?? profile));
  const commonFlags = Object.entries(sources.flags).filter(([key]) => !CLIENT_KEYS.includes(key));
  const withoutFlags = { ...sources, flags: Object.fromEntries(commonFlags) };
  // Credentials in variables are for the profile that commands without a flag use.
  const defaultProfile = attempt(() => resolveProfile(withoutFlags).value);
  const other = (client: Client) =>
    statusOf({ client, skipVariables: client.profile !== defaultProfile }, false, withoutFlags, world);
  if (selected instanceof GwtokenError) return { clients: known.map(other), noneSelected: selected };
  const others = known.filter((client) => clientName(client) !== clientName(selected.client));
  return {
    clients: [statusOf(selected, true, sources, world), ...others.map(other)],
    noneSelected: undefined,
  };
}

function statusOf(
  clientSettings: Pick<ClientSettings, 'client' | 'skipVariables'>,
  selected: boolean,
  sources: SettingSources,
  world: StatusWorld,
): ClientStatus {
  const parts = resolveParts(sources, clientSettings, world);
  const plan = parts.plan instanceof GwtokenError ? undefined : parts.plan;
  const stored = world.clients.read()[clientName(parts.client)];
  const used = plan?.kind === 'keychain' ? stored : undefined;
  const nowMs = world.now();
  const query = attempt(() => queryOf(parts, world));
  const cached = query instanceof GwtokenError ? undefined : ownEntry(query, world);
  const entry = cached && lifeLeftMs(cached, nowMs) > 0 ? cached : undefined;
  return {
    ...parts,
    apiUrl: attempt(() => resolveApiUrl(sources, parts.client)),
    selected,
    sources,
    source: plan?.kind,
    clientId: plan?.kind === 'variables' ? plan.credentials.clientId : (used?.clientId ?? entry?.clientId),
    hasCredentials: plan?.kind !== 'keychain' || stored !== undefined || entry !== undefined,
    stored,
    token: entry && { expiresAtMs: nowMs + lifeLeftMs(entry, nowMs) },
  };
}

type VerifyWorld = QuickWorld & EndpointWorld & Pick<World, 'terminal'>;

/** Reasons for which the keychain would fail for the next client too, after the same wait. */
const SAME_FOR_ALL = ['no-collection', 'locked', 'not-started', 'timed-out', 'crashed'];

/**
 * Reads the credentials of each client and requests a token with them; under a spinner, unless a credential
 * command may prompt on the same terminal.
 *
 * @param keychainError given if it is known already that it cannot be read
 */
export function checkClients(
  clients: readonly ClientStatus[],
  world: VerifyWorld,
  keychainError?: GwtokenError,
): Promise<readonly CheckedClient[]> {
  const work = () => checkEach(clients, world, keychainError);
  const mayPrompt = clients.some(({ source }) => source === 'command');
  return mayPrompt ? work() : world.terminal.spin('verifying the credentials', work);
}

/** Checks one after the other: neither a keychain nor an endpoint that failed is tried again. */
async function checkEach(
  clients: readonly ClientStatus[],
  world: VerifyWorld,
  keychainError: GwtokenError | undefined,
): Promise<readonly CheckedClient[]> {
  const checked: CheckedClient[] = [];
  const unreached = new Map<
    string | undefined,
    { readonly verdict: GwtokenError; readonly skipped: string }
  >();
  let keychain = keychainError;
  for (const each of clients) {
    const url = each.authUrl instanceof GwtokenError ? undefined : each.authUrl.value;
    const known =
      each.source === 'keychain' && keychain
        ? { verdict: keychain, skipped: 'the keychain cannot be used (see above)' }
        : unreached.get(url);
    const skipped = known ?? usedElsewhere(each);
    if (skipped) {
      checked.push({ ...each, ...skipped, request: undefined });
      continue;
    }
    const { verdict, request } = await verifyClient(each, world);
    checked.push({ ...each, verdict, request });
    if (!(verdict instanceof GwtokenError)) continue;
    if (SAME_FOR_ALL.includes(verdict.reason ?? '')) keychain = verdict;
    if (verdict.kind === 'unreached')
      unreached.set(url, { verdict, skipped: `the endpoint failed for ${clientName(each.client)}` });
  }
  return checked;
}

/** Says why a client is not tried with variables: those that name no client are the selected one's. */
function usedElsewhere({ plan, selected, client }: ClientStatus): { readonly skipped: string } | undefined {
  if (selected || plan instanceof GwtokenError || plan.kind !== 'variables') return undefined;
  const [idOfClient] = credentialVariableNames(client);
  if (plan.name.startsWith(`${idOfClient} `)) return undefined;
  return { skipped: `${plan.name} would be used; to try them, run: gwtoken doctor ${clientFlags(client)}` };
}

async function verifyClient(
  status: ClientStatus,
  world: VerifyWorld,
): Promise<{ readonly verdict: Verdict; readonly request: Request | undefined }> {
  const query = attempt(() => queryOf(status, world));
  if (query instanceof GwtokenError) return { verdict: query, request: undefined };
  const requests: Request[] = [];
  const watching = { ...world, postForm: watched(world, requests) };
  let verdict: Verdict;
  try {
    const { clientId, token } = await fetchNew(query, watching);
    const problem = minTtlProblem(token, query.settings, world.now());
    verdict = problem ?? { clientId, lifetimeS: token.lifetimeS };
  } catch (error) {
    if (!(error instanceof GwtokenError)) throw error;
    verdict = withNextSteps(error, query, status.sources);
  }
  return { verdict, request: requests.at(-1) };
}

/** Returns a postForm() that notes how far each of its requests gets. */
function watched({ postForm, now }: Pick<World, 'postForm' | 'now'>, requests: Request[]): PostForm {
  return async (url, init) => {
    const request: Request = { progress: { waitingFor: 'route' }, askedAtMs: now(), repliedAtMs: now() };
    requests.push(request);
    const onProgress = (facts: Partial<ConnectionProgress>): void => {
      init.onProgress?.(facts);
      Object.assign(request.progress, facts);
      if (facts.waitingFor === 'reply') request.askedAtMs = now();
    };
    const reply = await postForm(url, { ...init, onProgress });
    request.repliedAtMs = now();
    request.status = reply.status;
    request.date = reply.headers.get('date');
    return reply;
  };
}
