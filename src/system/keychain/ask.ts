/**
 * A request to the keychain's child. The call and the child end within the limit, whatever keytar does. The
 * request goes over the child's channel, never by argument or environment, which other programs of the user
 * can read, and arguments even other users.
 */

import { type ChildProcess, type CommonSpawnOptions, type ForkOptions, fork } from 'node:child_process';
import { GwtokenError, limitReached } from '../../errors';
import { note } from '../../text';
import { ANSWER_WITHIN_MS, hasPerson } from '../../waiting';
import type { World } from '../../world';
import { TimedOut, withinLimit } from '../limit';
import type { Answer, Request, Value } from './child';
import { failureError, keychainError, notAnswered } from './errors';
import { type KeyringProblem, keyringProblem } from './keyring-state';
import { withSessionBus } from './session-bus';

export type KeychainWorld = Pick<World, 'platform' | 'env' | 'stderr'> & {
  /** The module that `fork()` runs: src/system/keychain/child.ts, built. */
  readonly childPath: string;
  /** Undefined on Windows. */
  readonly uid: number | undefined;
  /** Called once the child has been asked for a secret: to start and to read takes it a while. */
  readonly whileReading?: () => void;
};

const NOTICE_AFTER_MS = 2000;

/**
 * Returns the value that the request asks for. One limit holds for all that it takes: the child, the bus that
 * is asked about the keyring, and a second child.
 *
 * @param limitMs by default 60 s if a person can answer a dialog, otherwise 10 s
 * @param signal ends the waiting before that
 * @throws GwtokenError `keychain`, or the signal's reason
 */
export async function ask(
  request: Request,
  limitMs: number | undefined,
  given: KeychainWorld,
  signal?: AbortSignal,
): Promise<Value> {
  const isLinux = given.platform === 'linux';
  const world = isLinux ? { ...given, env: withSessionBus(given.env, given) } : given;
  const { platform, env } = world;
  const hasDesktop = !isLinux || Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);
  const canAnswer = hasDesktop && hasPerson(world);
  const withinMs = limitMs ?? ANSWER_WITHIN_MS[canAnswer ? 'person' : 'nobody'];
  /** Known from the notice on, for the error if the limit passes. */
  let problem: KeyringProblem;
  const askAndNotify = async (over: AbortSignal): Promise<Value> => {
    const notice = setTimeout(async () => {
      if (canAnswer) note(world, `waiting for the keychain: answer its dialog (up to ${withinMs / 1000} s)`);
      if (isLinux) problem = await keyringProblem(env, over);
    }, NOTICE_AFTER_MS);
    over.addEventListener('abort', () => clearTimeout(notice), { once: true });
    return isLinux ? await askKeyring(request, world, over) : await askChild(request, world, over);
  };
  try {
    return await withinLimit(withinMs, askAndNotify, signal);
  } catch (error) {
    throw error instanceof TimedOut ? notAnswered(problem, withinMs, platform) : error;
  }
}

/**
 * Asks the child on Linux, where "not there" and "denied" may mean that the keyring is locked or missing.
 * Of a hundred sessions of KWallet 5, one has a wrong key: it is refused, or an item is read as not there.
 */
async function askKeyring(request: Request, world: KeychainWorld, over: AbortSignal): Promise<Value> {
  const checkOpen = async (): Promise<void> => {
    const problem = await keyringProblem(world.env, over);
    if (problem !== undefined) throw keychainError(problem, 'linux');
  };
  const value = await askSession(request, world, over).catch(async (error: unknown) => {
    if (error instanceof GwtokenError && error.reason === 'denied') await checkOpen();
    throw error;
  });
  if (value === null || (value === false && request.op !== 'set')) await checkOpen();
  return value ?? (await askSession(request, world, over));
}

/** Asks a child, and if its session is refused another, whose session has another key. */
async function askSession(request: Request, world: KeychainWorld, over: AbortSignal): Promise<Value> {
  return await askChild(request, world, over).catch((error: unknown) => {
    if (!(error instanceof GwtokenError) || error.reason !== 'key-mismatch') throw error;
    return askChild(request, world, over);
  });
}

/** Asks a child, which is killed once it has answered, or nobody waits any more. */
async function askChild(request: Request, world: KeychainWorld, over: AbortSignal): Promise<Value> {
  over.throwIfAborted();
  const child = startChild(world);
  const kill = () => child.kill('SIGKILL');
  over.addEventListener('abort', kill, { once: true });
  try {
    const answer = answerOf(child, request, world.platform);
    if (request.op === 'get') world.whileReading?.();
    return await answer;
  } finally {
    kill();
  }
}

/**
 * Starts the child without gwtoken's own variables, which hold secrets, and without those of Node and Bun,
 * which slow it down, stop it (`--inspect-brk`) or make another program of it (BUN_BE_BUN).
 */
function startChild({ childPath, env, platform }: KeychainWorld): ChildProcess {
  const kept = Object.entries(env).filter(([name]) => !/^(GWTOKEN_|BUN_|NODE_)/i.test(name));
  // glib's messages are recognized by their English text.
  const inEnglish = platform === 'linux' ? { LC_ALL: 'C', LANGUAGE: '' } : {};
  const options: ForkOptions & CommonSpawnOptions = {
    // DO_NOT_TRACK: on macOS and Windows Bun would report a crash of keytar to its makers.
    env: { ...Object.fromEntries(kept), ...inEnglish, DO_NOT_TRACK: '1' },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // If gwtoken has no console of its own, as under a scheduler, the child would open one on the desktop.
    windowsHide: true,
  };
  return fork(childPath, [], options);
}

/** Sends the request, and settles with the child's answer or with its end. */
function answerOf(child: ChildProcess, request: Request, platform: NodeJS.Platform): Promise<Value> {
  return new Promise((resolve, reject) => {
    const crashed = (how: string) => keychainError('crashed', platform, `the keychain process ${how}`);
    child.on('message', (answer: Answer) => {
      if ('value' in answer) resolve(answer.value);
      else reject(failureError(answer.failure, platform));
    });
    child.on('error', (error) => reject(limitReached(error) ?? crashed(`failed: ${error.message}`)));
    child.on('exit', (code, signal) => reject(crashed(`ended: ${signal ?? `exit code ${code}`}`)));
    // In Bun, a child that could not be started has no channel; its error follows.
    child.send?.(request);
  });
}
