/** One request for many processes: the holder of the client's lock sends it, the others share its outcome. */

import { clientName } from '../client';
import { failure, GwtokenError } from '../errors';
import { type ErrorKind, isErrorKind } from '../exit-codes';
import { duration, oneLine } from '../text';
import type { Lock, World } from '../world';
import { ownerDigest, parseObject } from './cache';
import type { TokenAnswer, TokenQuery } from './query';

interface Work {
  /** Returns the cached token, if it is valid for long enough. */
  look(): TokenAnswer | undefined;
  /** Fetches a new token; `isCached` is true if the others will find it in the cache. */
  fetch(): Promise<{ answer: TokenAnswer; isCached: boolean }>;
}

type LockWorld = Pick<World, 'tokens' | 'now' | 'sha256' | 'trace'>;

export async function shareRequest(query: TokenQuery, world: LockWorld, work: Work): Promise<TokenAnswer> {
  for (;;) {
    const { generation = '' } = world.tokens.read(query.client);
    const whose = ownerDigest(query, generation, world);
    const lock = await world.tokens.acquireLock(query.client, whose);
    if (lock === undefined) return (await work.fetch()).answer;
    if (lock.held) return await hold(lock, work, query.signal);

    world.trace('waiting for another gwtoken process to get this token');
    const text = await lock.wait(query.deadlineMs - world.now(), query.signal);
    if (text === 'late') throw tooLate(query);
    const outcome = parseObject(text);
    const theirs = parseFailure(outcome['failure']);
    if (theirs) throw theirs;
    const cached = work.look();
    if (cached) return cached;
    if (outcome['unshared'] === true) return (await work.fetch()).answer;
    // The holder was killed or is frozen: the next round finds the lock free, or with another holder.
  }
}

async function hold(
  lock: Lock & { held: true },
  work: Work,
  signal: AbortSignal | undefined,
): Promise<TokenAnswer> {
  let outcome = '';
  try {
    const cached = work.look();
    if (cached) return cached;
    const { answer, isCached } = await work.fetch();
    if (!isCached) outcome = JSON.stringify({ unshared: true });
    return answer;
  } catch (error) {
    if (error instanceof GwtokenError) outcome = formatFailure(error);
    throw error;
  } finally {
    // A cancelled request tells nothing about the next one.
    lock.release(signal?.aborted ? '' : outcome);
  }
}

/** Kinds of error in the holder's own flags or files, which those who wait do not share. */
const OWN_FAULTS: readonly ErrorKind[] = ['usage', 'local'];

/** Returns a failure as text, without hints: those who wait have their own. */
function formatFailure({ kind, message, reason }: GwtokenError): string {
  if (OWN_FAULTS.includes(kind)) return '';
  return JSON.stringify({ failure: { kind, message: message.slice(0, 1000), reason } });
}

/** Reads a failure; undefined if it is not one, since the holder may be of another version. */
function parseFailure(stored: unknown): GwtokenError | undefined {
  const { kind, message, reason } = (stored ?? {}) as Record<string, unknown>;
  if (!isErrorKind(kind) || OWN_FAULTS.includes(kind) || typeof message !== 'string') return undefined;
  return new GwtokenError(kind, oneLine(message), {
    reason: typeof reason === 'string' ? reason : undefined,
    ofAnotherProcess: true,
  });
}

function tooLate({ client, startedAtMs, deadlineMs }: TokenQuery): GwtokenError {
  const waited = duration(deadlineMs - startedAtMs);
  return failure(
    'unreached',
    `waited ${waited} for another gwtoken process to get the token for ${clientName(client)}`,
    'raise --timeout, or use --no-cache to not wait',
  );
}
