/** What `gwtoken status` knows of each client without opening the keychain or running the credential command. */

import { type Client, clientName, parseClientName } from '../../client';
import { type CredentialPlace, credentialPlace } from '../../credentials/place';
import { attempt, GwtokenError } from '../../errors';
import { resolveAuthUrl, resolveClient, resolveProfile } from '../../settings/resolve';
import type { AuthUrl, Given, Source } from '../../settings/setting';
import { type KeptToken, keptToken } from '../../token/kept-token';
import type { WarmWorld, World } from '../../world/world';

export interface ClientStatus {
  readonly client: Client;
  /** Whether it is the one that the settings name. */
  readonly selected: boolean;
  /** What settings apply to it: the flags name the selected client, not the others. */
  readonly given: Given;
  readonly profileSource: Source;
  readonly credentials: CredentialPlace | GwtokenError;
  readonly clientId: string | undefined;
  readonly authUrl: AuthUrl | GwtokenError | undefined;
  /** The address that login verified it against, for a client that gwtoken stored. */
  readonly boundTo: string | undefined;
  readonly token: KeptToken | undefined;
}

export interface Status {
  readonly clients: readonly ClientStatus[];
  /** Why the settings name no client. */
  readonly noneSelected: GwtokenError | undefined;
}

type Outside = WarmWorld & Pick<World, 'clients'>;

/** The client that the settings name first, then the known ones by name. */
export async function readStatus(given: Given, world: Outside): Promise<Status> {
  const selected = attempt(() => resolveClient(given).client);
  const known = world.clients.read();
  const clients = Object.keys(known)
    .sort()
    .flatMap((name) => parseClientName(name) ?? []);
  const first = selected instanceof GwtokenError ? [] : [selected];
  const names = first.map(clientName);
  const others = clients.filter((client) => !names.includes(clientName(client)));
  return {
    clients: await Promise.all(
      [...first, ...others].map((client) => statusOf(client, first.includes(client), given, world)),
    ),
    noneSelected: selected instanceof GwtokenError ? selected : undefined,
  };
}

async function statusOf(
  client: Client,
  selected: boolean,
  all: Given,
  world: Outside,
): Promise<ClientStatus> {
  const given: Given = selected ? all : { ...all, flags: {} };
  const profileSource = sourceOfProfile(client, given);
  const credentials = attempt(() => credentialPlace(given, client, profileSource, world));
  const known = world.clients.read()[clientName(client)];
  const fromKeychain = !(credentials instanceof GwtokenError) && credentials.kind === 'keychain';
  return {
    client,
    selected,
    given,
    profileSource,
    credentials,
    clientId: fromKeychain
      ? known?.clientId
      : credentials instanceof GwtokenError
        ? undefined
        : credentials.clientId,
    authUrl: attempt(() => resolveAuthUrl(given, client)),
    boundTo: fromKeychain ? known?.authUrl : undefined,
    token: keptToken(given, client, profileSource, world),
  };
}

/** Another profile than the one that the settings name has to be named by a flag, which passes variables over. */
function sourceOfProfile(client: Client, given: Given): Source {
  const named = attempt(() => resolveProfile(given));
  if (!(named instanceof GwtokenError) && named.value === client.profile) return named.source;
  return { kind: 'flag', name: '--profile' };
}

/** `abcd…wxyz`: enough to tell clients apart. */
export function maskMiddle(text: string): string {
  const kept = Math.min(4, Math.floor(text.length / 4));
  return `${text.slice(0, kept)}…${text.slice(text.length - kept)}`;
}
