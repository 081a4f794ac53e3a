/**
 * One request however many processes need the token: whoever takes the client's turn sends it, the others wait and take
 * its result, a failure too. Without a turn there is no sharing, but still a token.
 */

import { clientName } from '../client';
import { sourceHints } from '../credentials/find';
import { type ErrorKind, failure, GwtokenError, isErrorKind } from '../errors';
import { duration, oneLine } from '../text';
import type { Turn, World } from '../world';
import { ownerDigest, parseObject } from './cache';
import { refusalHints } from './fetch';
import type { TokenAnswer, TokenQuery } from './query';

interface Work {
  /** The cached token, if it is valid for long enough. */
  look(): TokenAnswer | undefined;
  /** A new token, and whether the others will find it in the cache. */
  fetch(): Promise<{ answer: TokenAnswer; isCached: boolean }>;
}

type TurnWorld = Pick<World, 'tokens' | 'now' | 'sha256' | 'trace'>;

export async function inTurn(query: TokenQuery, world: TurnWorld, work: Work): Promise<TokenAnswer> {
  for (;;) {
    const { generation = '' } = world.tokens.read(query.client);
    const whose = ownerDigest(query, generation, world);
    const turn = await world.tokens.takeTurn(query.client, whose);
    if (turn === undefined) return (await work.fetch()).answer;
    if (turn.held) return await hold(turn, work, query.signal);

    world.trace('waiting for another gwtoken process to get this token');
    const text = await turn.wait(query.deadlineMs - world.now(), query.signal);
    if (text === 'late') throw tooLate(query);
    const { failure, isUnshared } = parseOutcome(text);
    if (failure) throw withOwnHints(failure, query);
    const cached = work.look();
    if (cached) return cached;
    if (isUnshared) return (await work.fetch()).answer;
    // The holder was killed or is frozen: now it is the turn of another, perhaps ours.
  }
}

async function hold(
  turn: Turn & { held: true },
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
    // A request that was given up says nothing about the next one.
    turn.release(signal?.aborted ? '' : outcome);
  }
}

/**
 * What a holder tells those who wait, and no more than that: nothing that a stranger who listens could use, and nothing
 * that a user would run.
 */
interface Outcome {
  readonly failure?: GwtokenError | undefined;
  /** There is a token, but they will not find it in the cache. */
  readonly isUnshared: boolean;
}

/** A wrong flag or file is the holder's own: those who wait find out about theirs without a request. */
const OWN_FAULTS: readonly ErrorKind[] = ['usage', 'local'];

/** The longest sentence and word that are passed on, in characters. */
const LONGEST_MESSAGE = 1000;
const REASON = /^[\w.:-]{1,64}$/;

function formatFailure({ kind, message, reason }: GwtokenError): string {
  if (OWN_FAULTS.includes(kind)) return '';
  return JSON.stringify({ failure: { kind, message: message.slice(0, LONGEST_MESSAGE), reason } });
}

/** Only our own processes should be able to write here, but they may be of another version. */
function parseOutcome(text: string): Outcome {
  const stored = parseObject(text);
  return { isUnshared: stored['unshared'] === true, failure: parseFailure(stored['failure']) };
}

/** The holder's sentence, with the hints that fit the client and the source of the one who waited. */
function withOwnHints(failure: GwtokenError, query: TokenQuery): GwtokenError {
  const hints = failure.kind === 'refused' ? refusalHints(failure, query) : sourceHints(failure, query);
  return failure.withHints([
    ...hints,
    'another gwtoken process made this request; to make your own and see details, use --no-cache',
  ]);
}

function parseFailure(stored: unknown): GwtokenError | undefined {
  const { kind, message, reason } = (stored ?? {}) as Record<string, unknown>;
  if (!isErrorKind(kind) || OWN_FAULTS.includes(kind)) return undefined;
  if (typeof message !== 'string' || message === '' || message.length > LONGEST_MESSAGE) return undefined;
  return new GwtokenError(kind, oneLine(message), {
    reason: typeof reason === 'string' && REASON.test(reason) ? reason : undefined,
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
