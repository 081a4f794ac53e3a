/**
 * One request however many processes ask: whoever takes the client's turn asks the endpoint, the others wait and take
 * what it got, a failure too. A turn that cannot be had costs the sharing, never the token (contract section 7).
 */

import { clientName } from '../client';
import { GwtokenError } from '../errors';
import { type ErrorKind, isErrorKind } from '../exit-codes';
import { seconds } from '../text';
import type { Turn } from '../world/files';
import type { World } from '../world/world';
import { isFor, type Owner, ownerJson, ownerOf, parseObject, parseOwner } from './cache-entry';
import type { TokenAnswer, TokenQuery } from './query';

interface Work {
  /** The cached token, if there is one that is good enough. */
  look(): TokenAnswer | undefined;
  /** A new token, and whether the others will find it in the cache. */
  fetch(): Promise<{ answer: TokenAnswer; isCached: boolean }>;
}

type TurnWorld = Pick<World, 'tokens' | 'now' | 'crypto' | 'trace'>;

export async function inTurn(query: TokenQuery, world: TurnWorld, work: Work): Promise<TokenAnswer> {
  for (;;) {
    const turn = await world.tokens.takeTurn(query.client);
    if (turn === undefined) return (await work.fetch()).answer;
    if (turn.held) return await hold(turn, query, world, work);

    world.trace('waiting for another gwtoken that is asking for this token');
    const text = await turn.wait(query.deadlineMs - world.now());
    if (text === 'late') throw tooLate(query);
    const { failure, isUnshared } = parseOutcome(text);
    if (failure && isFor(failure.owner, query, world)) throw failure.error;
    const cached = work.look();
    if (cached) return cached;
    if (isUnshared) return (await work.fetch()).answer;
    // The holder was killed, or it asked with other credentials: now it is the turn of another, perhaps ours.
  }
}

async function hold(
  turn: Turn & { held: true },
  query: TokenQuery,
  world: TurnWorld,
  work: Work,
): Promise<TokenAnswer> {
  let outcome = '';
  try {
    const cached = work.look();
    if (cached) return cached;
    const { answer, isCached } = await work.fetch();
    if (!isCached) outcome = JSON.stringify({ unshared: true });
    return answer;
  } catch (error) {
    if (error instanceof GwtokenError) outcome = formatFailure(error, query, world);
    throw error;
  } finally {
    turn.release(outcome);
  }
}

/** What a holder tells those who wait. A failure has an owner: they may have other credentials for the same client. */
interface Outcome {
  readonly failure?: { readonly error: GwtokenError; readonly owner: Owner };
  /** There is a token, but they will not find it in the cache. */
  readonly isUnshared?: boolean;
}

/** A wrong flag or file is the holder's own: those who wait find out about theirs without asking the endpoint. */
const OWN_FAULTS: readonly ErrorKind[] = ['usage', 'local'];

function formatFailure(error: GwtokenError, query: TokenQuery, world: TurnWorld): string {
  const { kind, message, hints, reason, detail } = error;
  if (OWN_FAULTS.includes(kind)) return '';
  const clientId = query.plan.kind === 'variables' ? query.plan.credentials.clientId : '';
  const owner = ownerJson(ownerOf(query, clientId, world));
  return JSON.stringify({ ...owner, failure: { kind, message, hints, reason, detail } });
}

/** Only our own processes can write here (the lock's name is secret), but they may be of another version. */
function parseOutcome(text: string): Outcome {
  const stored = parseObject(text);
  const owner = parseOwner(stored);
  const error = parseFailure(stored['failure']);
  return {
    isUnshared: stored['unshared'] === true,
    ...(owner && error ? { failure: { owner, error } } : {}),
  };
}

function parseFailure(stored: unknown): GwtokenError | undefined {
  const { kind, message, hints, reason, detail } = (stored ?? {}) as Record<string, unknown>;
  if (!isErrorKind(kind) || typeof message !== 'string') return undefined;
  return new GwtokenError(kind, message, {
    hints: Array.isArray(hints) ? hints.map(String) : [],
    reason: typeof reason === 'string' ? reason : undefined,
    detail: typeof detail === 'string' ? detail : undefined,
  });
}

function tooLate({ client, startedAtMs, deadlineMs }: TokenQuery): GwtokenError {
  const waited = seconds(deadlineMs - startedAtMs);
  return new GwtokenError(
    'unreached',
    `another gwtoken has been asking for a token of ${clientName(client)} for ${waited}`,
    { hints: ['allow more time with --timeout, or ask without waiting: --no-cache'] },
  );
}
