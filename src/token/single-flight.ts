/**
 * One request however many processes ask: whoever takes the client's turn asks the endpoint, the others wait and take
 * what it got, a failure too. A turn that cannot be had costs the sharing, never the token (contract section 7).
 */

import { clientName } from '../client';
import { type ErrorKind, EXIT_CODES, GwtokenError } from '../errors';
import type { Turn } from '../world/files';
import type { World } from '../world/world';
import { type CacheEntry, isSame, parseSource, sourceOf } from './cache-entry';
import type { TokenAnswer, TokenQuery } from './query';

interface Work {
  /** The cached token, if there is one that is good enough. */
  look(): TokenAnswer | undefined;
  /** A new token, and whether the others will find it in the cache. */
  fetch(): Promise<{ answer: TokenAnswer; isShared: boolean }>;
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
    const left = parseLeft(text);
    if (left && 'failure' in left && isSame(left, query, world)) throw left.failure;
    const cached = work.look();
    if (cached) return cached;
    if (left && 'unshared' in left) return (await work.fetch()).answer;
    // The holder was killed, or it asked with other credentials: somebody else's turn now, perhaps ours.
  }
}

async function hold(
  turn: Turn & { held: true },
  query: TokenQuery,
  world: TurnWorld,
  work: Work,
): Promise<TokenAnswer> {
  let text = '';
  try {
    const cached = work.look();
    if (cached) return cached;
    const { answer, isShared } = await work.fetch();
    if (!isShared) text = JSON.stringify({ unshared: true });
    return answer;
  } catch (error) {
    if (error instanceof GwtokenError) text = formatFailure(error, query, world);
    throw error;
  } finally {
    turn.release(text);
  }
}

/** What a holder leaves for those who wait, with whose it is: they may have other credentials for the same client. */
type Left =
  | { readonly unshared: true }
  | (Pick<CacheEntry, 'clientId' | 'authUrl' | 'source'> & { readonly failure: GwtokenError });

/** A wrong flag or file is the holder's own: those who wait find out about theirs without asking the endpoint. */
const OWN_FAULTS: readonly ErrorKind[] = ['usage', 'local'];

function formatFailure(error: GwtokenError, { authUrl, plan }: TokenQuery, world: TurnWorld): string {
  const { kind, message, hints, reason, detail } = error;
  if (OWN_FAULTS.includes(kind)) return '';
  const clientId = plan.kind === 'variables' ? plan.credentials.clientId : '';
  const whose = { clientId, authUrl: authUrl.value, source: sourceOf(plan, world) };
  return JSON.stringify({ ...whose, failure: { kind, message, hints, reason, detail } });
}

/** Only our own processes can write here (the lock's name is secret), but they may be of another version. */
function parseLeft(text: string): Left | undefined {
  let stored: Record<string, unknown>;
  try {
    stored = JSON.parse(text) ?? {};
  } catch {
    return undefined;
  }
  if (stored['unshared'] === true) return { unshared: true };
  const { clientId, authUrl } = stored;
  const source = parseSource(stored['source']);
  const failure = parseFailure(stored['failure']);
  if (source === undefined || failure === undefined) return undefined;
  return { clientId: String(clientId), authUrl: String(authUrl), source, failure };
}

function parseFailure(stored: unknown): GwtokenError | undefined {
  const { kind, message, hints, reason, detail } = (stored ?? {}) as Record<string, unknown>;
  if (typeof kind !== 'string' || !Object.hasOwn(EXIT_CODES, kind) || typeof message !== 'string')
    return undefined;
  return new GwtokenError(kind as ErrorKind, message, {
    hints: Array.isArray(hints) ? hints.map(String) : [],
    reason: typeof reason === 'string' ? reason : undefined,
    detail: typeof detail === 'string' ? detail : undefined,
  });
}

function tooLate({ client, startedAtMs, deadlineMs }: TokenQuery): GwtokenError {
  const waited = Math.round((deadlineMs - startedAtMs) / 1000);
  return new GwtokenError(
    'unreached',
    `another gwtoken has been asking for a token of ${clientName(client)} for ${waited} s`,
    {
      hints: ['allow more time with --timeout, or ask without waiting: --no-cache'],
    },
  );
}
