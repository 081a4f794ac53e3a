/** The last failure of a key's requests, which other processes repeat instead of a request. */
import { saysNoKeychain } from '../credentials/keychain';
import { GwtokenError, type Hints, isErrorKind } from '../errors';
import { proxyVariable } from '../surroundings';
import { duration, oneLine } from '../text';
import type { World } from '../world';
import { keyMatches, parseLike, STORED_KEY, type StoredKey } from './key';
import type { Query } from './query';
import { ageMs } from './token';

/** Template of a stored failure: parseLike() accepts JSON with these fields and types. */
const FAILURE_SHAPE = { key: STORED_KEY, atMs: 0, kind: '', message: '', hints: [''] as Hints };
/** A stored failure. Its reason is not checked: one that means nothing here has no effect. */
type StoredFailure = typeof FAILURE_SHAPE & Partial<Pick<GwtokenError, 'reason'>>;

const ASK_AT_ONCE = 'to ask at once, add --fresh';

/** Time for which a refusal is repeated without a request, because identity servers lock clients out. */
export const REMEMBERED_MS = 30_000;

/**
 * Returns whether the request of another process would fail in the same way: an answer of the endpoint, the
 * keychain or the command, or an endpoint that cannot be reached directly, but nothing that its own settings
 * or surroundings may avoid.
 */
export function isShareable(error: GwtokenError): boolean {
  const { kind, reason } = error;
  if (kind === 'keychain') return reason !== 'timed-out' && !saysNoKeychain(error);
  // After a token that has just expired, the next request gets a new one.
  if (kind === 'bad-reply') return reason !== 'just-expired';
  return kind === 'refused' || kind === 'no-credentials' || reason === 'unreachable';
}

export function formatFailure(
  { kind, message, hints, reason }: GwtokenError,
  key: StoredKey,
  atMs: number,
): string {
  return `${JSON.stringify({ key, atMs, kind, message, hints, reason } satisfies StoredFailure)}\n`;
}

function parseFailure(text: string): StoredFailure | undefined {
  return parseLike<StoredFailure>(text, FAILURE_SHAPE);
}

/** Returns whether the stored failure no longer counts, or the text is not a stored failure. */
export function isForgotten(text: string, nowMs: number): boolean {
  const failed = parseFailure(text);
  return failed === undefined || nowMs - failed.atMs >= REMEMBERED_MS;
}

/**
 * Returns the last failure of the query's key if it counts for this run: each one that came after the run
 * began, and a refusal of the last 30 s. Undefined if there is none.
 */
export function lastFailure(
  query: Query,
  world: Pick<World, 'tokens' | 'now' | 'hmac' | 'env'>,
): GwtokenError | undefined {
  const failed = parseFailure(world.tokens.read(query.key, 'failure').text ?? '');
  if (failed === undefined || !isErrorKind(failed.kind) || !keyMatches(failed.key, query.key, world))
    return undefined;
  const { kind, hints, reason, atMs } = failed;
  const message = oneLine(failed.message);
  const agoMs = ageMs(atMs, world.now());
  if (agoMs === undefined) return undefined;
  // Only a direct connection's failure is stored. This process may reach the endpoint through its proxy.
  if (kind === 'unreached' && proxyVariable(world.env) !== undefined) return undefined;
  if (atMs > query.startedAtMs) return new GwtokenError(kind, message, hints, { reason });
  if (kind !== 'refused' || query.freshOnly || agoMs >= REMEMBERED_MS) return undefined;
  const leftMs = Math.ceil((REMEMBERED_MS - agoMs) / 1000) * 1000;
  const wait = `refused ${duration(agoMs)} ago; not asked again for ${duration(leftMs)}`;
  return new GwtokenError(kind, `${message} (${wait})`, [ASK_AT_ONCE, ...hints], { reason });
}
