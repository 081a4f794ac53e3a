/** One request for many processes: the holder of the client's lock sends it, the others share its outcome. */
import { clientName } from '../client';
import type { Credentials } from '../credentials/credentials';
import { failure, GwtokenError } from '../errors';
import { isErrorKind } from '../exit-codes';
import { duration, oneLine } from '../text';
import type { World } from '../world';
import { isFor, type Owner, ownerOf, parseObject, saltedHmac } from './cache';
import type { Query, TokenAnswer } from './query';

type ShareWorld = Pick<World, 'tokens' | 'trace' | 'now' | 'monotonicMs' | 'sha256'>;

/**
 * Returns the token of one request for all processes that want it. Who twice gets nothing by waiting, or
 * cannot have a lock, sends its own.
 *
 * @param look returns the cached token, if it will do
 * @param fetch requests a new one, and caches it; a failure is left in the cache too
 */
export async function shareRequest(
  query: Query,
  world: ShareWorld,
  look: () => TokenAnswer | undefined,
  fetch: (limitMs: number) => Promise<TokenAnswer>,
): Promise<TokenAnswer> {
  const { client, limitMs, signal } = query;
  // The holder may first have to wait for its keychain, or its command.
  const waitMs = limitMs + query.source.waitMs;
  const giveUpAtMs = world.monotonicMs() + waitMs;
  const leftMs = (): number => giveUpAtMs - world.monotonicMs();
  for (let inVain = 0; inVain < 2; inVain++) {
    const lock = await world.tokens.acquireLock(client);
    if (lock === undefined) break;
    if (lock.held) {
      try {
        return look() ?? (await fetch(Math.min(limitMs, leftMs())));
      } finally {
        lock.release();
      }
    }
    world.trace('waiting for another gwtoken process to get this token');
    if ((await lock.wait(leftMs(), signal)) === 'late') {
      const what = `waited ${duration(waitMs)} for another gwtoken process to get the token for`;
      const hint = 'raise --timeout, or use --no-cache to not wait';
      throw failure('unreached', `${what} ${clientName(client)}`, hint);
    }
    const shared = look();
    if (shared) return shared;
    throwSharedFailure(query, world);
  }
  return await fetch(Math.min(limitMs, leftMs()));
}

/** A failed request, as it is left to others. */
interface Failure {
  readonly owner: Owner;
  readonly atMs: number;
  readonly kind: GwtokenError['kind'];
  readonly message: string;
  readonly reason: string | undefined;
  /** Salt and HMAC of the ID and secret that were refused. */
  readonly refused?: Pick<Owner, 'salt' | 'hmac'>;
}

/** A refusal counts for 30 s: a prompt or a loop would repeat it, and identity services lock clients out. */
const REMEMBERED_MS = 30_000;

/** Refusals of the client, whatever it asks for: codes of RFC 6749 section 5.2, and a 401 without any. */
const ABOUT_CLIENT: readonly unknown[] = ['invalid_client', 'unauthorized_client', 'unauthorized'];

interface Attempt {
  readonly query: Query;
  /** The client's generation when its credentials were looked up. */
  readonly generation: string;
  readonly sent: Credentials | undefined;
}

/**
 * Leaves a failure to those who wait for it, and a refusal to those who come. One in this process's own flags
 * and files, or of a cancelled request, is nobody else's.
 *
 * @param sent the credentials; undefined if nothing was sent
 */
export async function leaveFailure(
  error: unknown,
  { query, generation, sent }: Attempt,
  world: ShareWorld,
): Promise<void> {
  if (!(error instanceof GwtokenError) || query.signal?.aborted) return;
  const { kind, message, reason } = error;
  if (kind === 'usage' || kind === 'local') return;
  const isRefused = sent !== undefined && ABOUT_CLIENT.includes(reason);
  const left: Failure = {
    owner: ownerOf(query, generation, world),
    atMs: world.now(),
    kind,
    message,
    reason,
    ...(isRefused && { refused: saltedHmac(textOf(sent), world) }),
  };
  await world.tokens.write(query.client, `${JSON.stringify(left)}\n`, 'failure');
}

/** Throws the failure of the holder that this process has waited for, if it has left one. */
function throwSharedFailure(query: Query, world: ShareWorld): void {
  const { owner, atMs, kind, message, reason } = readFailure(query, world);
  if (owner === undefined || Number(atMs) < query.startedAtMs || !isErrorKind(kind)) return;
  if (isFor(owner, query, world))
    throw new GwtokenError(kind, oneLine(String(message)), { reason: reason && String(reason) });
}

/** Returns the refusal of these credentials in the last 30 s, whatever their source; undefined if none. */
export function lastRefusal(
  credentials: Credentials,
  query: Query,
  world: ShareWorld,
): GwtokenError | undefined {
  const { owner, atMs, message, reason, refused } = readFailure(query, world);
  const agoMs = world.now() - Number(atMs);
  // One dated in the future does not count: the clock was set back.
  if (refused === undefined || query.fresh || !(agoMs >= 0 && agoMs < REMEMBERED_MS)) return undefined;
  if (owner?.authUrl !== query.authUrl.value) return undefined;
  if (refused.hmac !== saltedHmac(textOf(credentials), world, refused.salt).hmac) return undefined;
  const wait = `refused ${duration(agoMs)} ago; not asked again for ${duration(REMEMBERED_MS - agoMs)}`;
  return new GwtokenError('refused', `${oneLine(String(message))} (${wait})`, {
    reason: reason && String(reason),
    hints: ['to ask at once, add --fresh'],
  });
}

/** Returns what is left of the client's last failure; nothing after a login or logout. */
function readFailure({ client }: Query, { tokens }: ShareWorld): Partial<Failure> {
  const { text = '', generation = '' } = tokens.read(client, 'failure');
  const left: Partial<Failure> = parseObject(text);
  return left.owner?.generation === generation ? left : {};
}

function textOf({ clientId, clientSecret }: Credentials): string {
  return JSON.stringify([clientId, clientSecret]);
}
