/** The command `gwtoken logout`. */
import { type Client, clientName, parseClientName, shortId } from '../client';
import { notReturned, saysNoKeychain } from '../credentials/keychain-item';
import { sourceOf } from '../credentials/sources';
import { GwtokenError, messageOf, orUndefined, usage } from '../errors';
import type { FlagValues, Settings } from '../settings/table';
import { untilSignal } from '../signals';
import { warn } from '../text';
import type { World } from '../world';
import { sayIfCancelled } from './report';
import { readSettings } from './selected-token';

/** A client whose credentials and tokens are removed. */
interface Target {
  readonly client: Client;
  readonly name: string;
  /** Client ID in the list of stored clients; undefined if the client is not in the list. */
  readonly listedId: string | undefined;
  /** False if the credentials come from elsewhere, so that the keychain is not opened. */
  readonly mayHaveItem: boolean;
}

export async function logOut(flags: FlagValues, world: World): Promise<void> {
  const settings = readSettings(flags, world);
  const keychainTimeoutMs = settings.keychainTimeoutMs?.value;
  const targets = flags.all ? allTargets(settings, world) : [selectedTarget(settings, world)];
  if (!flags.yes) {
    for (const target of targets)
      if (!(await isThere(target, settings, world))) throw nothingThere(target.name);
    if (!(await isConfirmed(targets, world))) return;
  }
  await untilSignal(world.onSignals, (signal) => removeAll(targets, keychainTimeoutMs, signal, world));
  world.stderr.write(`${REVOKE}${flags.all ? BY_HAND : ''}`);
}

const REVOKE = 'Removed from this machine only. To revoke the client, use the Clients page.\n';
const BY_HAND = 'Keychain items that you created with another tool are not removed.\n';

function nothingThere(name?: string): GwtokenError {
  const nothing = 'no stored credentials or cached tokens';
  if (name === undefined) return new GwtokenError('no-credentials', nothing);
  return new GwtokenError('no-credentials', `${nothing} for ${name}`, { reason: 'nothing-stored' });
}

/** Returns all clients that are stored or have a cached token. Throws `usage` if a flag names only one. */
function allTargets(settings: Settings, world: World): readonly Target[] {
  const { region, sandbox, profile } = settings.flags;
  if ([region, sandbox, profile].some((flag) => flag !== undefined))
    throw usage('--all cannot be used with flags that name a client', ['to remove one client, omit --all']);
  const clients = knownNames(settings, world).flatMap((name) => parseClientName(name) ?? []);
  if (clients.length === 0) throw nothingThere();
  return clients.map((client) => targetOf(client, settings));
}

/** Returns the selected client. Another tool may have created its keychain item. */
function selectedTarget(settings: Settings, world: World): Target {
  if (settings.region === undefined && knownNames(settings, world).length === 0) throw nothingThere();
  // Variables that cannot be used still replace the keychain.
  const usesKeychain = orUndefined(() => sourceOf(settings, world))?.kind === 'keychain';
  return targetOf(settings.client, settings, usesKeychain);
}

function targetOf(client: Client, { stored }: Settings, usesKeychain = false): Target {
  const name = clientName(client);
  const listedId = stored()[name]?.clientId;
  return { client, name, listedId, mayHaveItem: listedId !== undefined || usesKeychain };
}

/** Returns the names of the clients that are stored or have a cached token. */
function knownNames({ stored }: Settings, { tokens }: World): readonly string[] {
  return [...new Set([...Object.keys(stored()), ...tokens.clientNames()])];
}

async function isThere({ name, mayHaveItem }: Target, settings: Settings, world: World): Promise<boolean> {
  if (knownNames(settings, world).includes(name)) return true;
  if (!mayHaveItem) return false;
  const item = world.keychain.get(name, settings.keychainTimeoutMs?.value);
  return (await undefinedIfNoKeychain(item)) !== undefined;
}

/** Resolves with undefined if there is no keychain, and so no item. */
async function undefinedIfNoKeychain<T>(call: Promise<T>): Promise<T | undefined> {
  return await call.catch((error: unknown) => {
    if (!saysNoKeychain(error)) throw error;
    return undefined;
  });
}

/** Prompts for a confirmation and returns the answer; reports if nothing is removed. */
async function isConfirmed(targets: readonly Target[], { terminal, stderr }: World): Promise<boolean> {
  const described = targets
    .map(({ name, listedId, mayHaveItem }) => {
      if (listedId !== undefined) return `${name} (client ID ${shortId(listedId)})`;
      return mayHaveItem ? name : `the cached tokens of ${name}`;
    })
    .join(', ');
  const promptProblem = terminal.promptProblem();
  if (promptProblem !== undefined)
    throw usage(`logout needs --yes (cannot prompt: ${promptProblem})`, [
      `with --yes it removes ${described}`,
    ]);
  const isSure = await sayIfCancelled('removed', { stderr }, () => terminal.confirm(`Remove ${described}?`));
  if (!isSure) stderr.write('Nothing was removed.\n');
  return isSure;
}

/** Removes the clients. If one cannot be removed, the others still are. */
async function removeAll(
  targets: readonly Target[],
  keychainTimeoutMs: number | undefined,
  signal: AbortSignal,
  world: World,
): Promise<void> {
  let failed: unknown;
  for (const target of targets) {
    try {
      world.stderr.write(`Removed ${await remove(target, keychainTimeoutMs, world)}\n`);
    } catch (error) {
      signal.throwIfAborted();
      if (failed !== undefined) warn(world, messageOf(failed));
      failed = error;
    }
  }
  if (failed !== undefined) throw failed;
}

/**
 * Removes a client's keychain item, then its tokens, and last its entry in the list of stored clients, so
 * that an interrupted logout can be repeated. Returns what it removed.
 *
 * @throws GwtokenError the keychain's, with nothing removed; `no-credentials` if nothing was there; `local`
 *   if a token or the entry remains
 */
async function remove(target: Target, keychainTimeoutMs: number | undefined, world: World): Promise<string> {
  const { client, name, mayHaveItem } = target;
  const { clients, tokens } = world;
  // Read again, because another login or logout may have run during the prompt.
  const isListed = clients.read()[name] !== undefined;
  const hadItem = mayHaveItem && (await removeItem(client, isListed, keychainTimeoutMs, world));
  const hadTokens = tokens.clientNames().includes(name);
  // Must follow the item's removal: a request that still found the item now loses its lock, and so its token.
  const remaining = await tokens.remove((other) => clientName(other) === name);
  const kept = remaining.map((path) => `its cached token: ${path}`);
  if (isListed)
    await clients.remove(name).catch((error: unknown) => {
      kept.push(`its entry in the list of stored clients: ${messageOf(error)}`);
    });
  if (kept.length > 0) throw new GwtokenError('local', `removed ${name}, but not ${kept.join(', and not ')}`);
  if (hadItem || isListed) return name;
  if (hadTokens) return `the cached tokens of ${name}`;
  throw nothingThere(name);
}

/**
 * Removes a client's keychain item; returns false if there is none.
 *
 * @throws GwtokenError the keychain's; `not-returned` if the item of a listed client may still be there
 */
async function removeItem(
  client: Client,
  isListed: boolean,
  keychainTimeoutMs: number | undefined,
  { keychain, clients }: Pick<World, 'keychain' | 'clients'>,
): Promise<boolean> {
  const name = clientName(client);
  const removal = keychain.delete(name, keychainTimeoutMs);
  const isRemoved = await (isListed ? removal : undefinedIfNoKeychain(removal));
  // Another logout removes the item and then the entry.
  if (isRemoved === undefined && clients.read()[name])
    throw notReturned(client, { reason: 'not-removed', client });
  return isRemoved ?? false;
}
