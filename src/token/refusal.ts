/**
 * A refusal is remembered for 30 s: a prompt or a loop would repeat it all day, and identity services lock
 * clients and addresses out for that. A login, `--fresh`, `--no-cache` and other credentials ask at once.
 */
import { GwtokenError } from '../errors';
import { duration, oneLine } from '../text';
import type { World } from '../world';
import { isFor, type Owner, ownerOf, parseObject } from './cache';
import type { Query } from './query';

const REMEMBERED_MS = 30_000;

/** Refusals of the client, whatever it asks for: codes of RFC 6749 section 5.2, and a 401 without any. */
const ABOUT_CLIENT: readonly unknown[] = ['invalid_client', 'unauthorized_client', 'unauthorized'];

type RefusalWorld = Pick<World, 'tokens' | 'now' | 'sha256'>;

/**
 * Remembers an error that is a refusal.
 *
 * @param generation of the client's tokens when its credentials were looked for
 */
export async function rememberRefusal(
  error: unknown,
  query: Query,
  generation: string,
  world: RefusalWorld,
): Promise<void> {
  if (!(error instanceof GwtokenError) || !ABOUT_CLIENT.includes(error.reason)) return;
  const { message, reason } = error;
  const owner = ownerOf(query, query.source.clientId ?? '', world);
  const refusal = { owner, generation, atMs: world.now(), message, reason };
  await world.tokens.write(query.client, JSON.stringify(refusal), 'refusal');
}

/** Returns the last refusal of these credentials at this address, if it is not 30 s old. */
export function rememberedRefusal(query: Query, world: RefusalWorld): GwtokenError | undefined {
  const { text = '', generation = '' } = world.tokens.read(query.client, 'refusal');
  const { owner, generation: ofThen, atMs, message, reason } = parseObject(text);
  const agoMs = world.now() - Number(atMs);
  // One dated in the future does not count: the clock was set back.
  if (!(agoMs >= 0 && agoMs < REMEMBERED_MS) || ofThen !== generation) return undefined;
  if (!isFor(owner as Owner, query, world) || !ABOUT_CLIENT.includes(reason)) return undefined;
  const wait = `refused ${duration(agoMs)} ago; not asked again for ${duration(REMEMBERED_MS - agoMs)}`;
  const hints = ['to ask at once, add --fresh'];
  return new GwtokenError('refused', `${oneLine(String(message))} (${wait})`, {
    reason: String(reason),
    hints,
  });
}
