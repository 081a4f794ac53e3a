/**
 * One request to the keychain's child. The call and the child end within the limit, whatever keytar does. The
 * request goes over the child's channel, never by argument or environment, which other programs of the user
 * can read, and arguments even other users.
 */

import { type ChildProcess, type CommonSpawnOptions, type ForkOptions, fork } from 'node:child_process';
import { limitReached, messageOf, orUndefined } from '../../errors';
import { answerWithinMs, hasPerson } from '../../waiting';
import type { Env, World } from '../../world';
import { TimedOut, withinLimit } from '../limit';
import type { Answer, Request, Value } from './child';
import { failureError, keychainError, notAnswered } from './errors';
import { type KeyringState, keyringState } from './keyring-state';

export type KeychainWorld = Pick<World, 'platform' | 'env' | 'stderr'> & {
  /** The module that `fork()` runs: src/system/keychain/child.ts, built. */
  readonly childPath: string;
  /** Undefined on Windows. */
  readonly uid: number | undefined;
};

const NOTICE_AFTER_MS = 2000;
/** Time that the bus gets to say if it is a locked keyring that is waited for. */
const LOOK_MS = 800;

/**
 * Returns the value that the request asks for.
 *
 * @param limitMs by default 60 s if a person can answer a dialog, otherwise 10 s
 * @param signal ends the waiting before that
 * @throws GwtokenError `keychain`, or the signal's reason
 */
export async function askChild(
  request: Request,
  limitMs: number | undefined,
  world: KeychainWorld,
  signal?: AbortSignal,
): Promise<Value> {
  const { platform, env, stderr } = world;
  const hasDesktop = platform !== 'linux' || Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);
  const person = hasDesktop && hasPerson(world);
  const withinMs = limitMs ?? answerWithinMs(person);
  let keyring: KeyringState | undefined;
  let notice: NodeJS.Timeout | undefined;
  let child: ChildProcess | undefined;
  const run = async (over: AbortSignal): Promise<Value> => {
    notice = setTimeout(async () => {
      if (platform === 'linux') keyring = await keyringState(env, LOOK_MS, over);
      // Nobody may read stderr any more; the answer may still be wanted.
      if (person && !over.aborted) orUndefined(() => stderr.write(noticeText(keyring, withinMs)));
    }, NOTICE_AFTER_MS);
    child = startChild(world);
    return await answerOf(child, request, platform);
  };
  try {
    return await withinLimit(withinMs, run, signal);
  } catch (error) {
    throw error instanceof TimedOut ? notAnswered(keyring, withinMs, platform) : error;
  } finally {
    clearTimeout(notice);
    child?.kill('SIGKILL');
  }
}

function startChild({ childPath, env, platform }: KeychainWorld): ChildProcess {
  const options: ForkOptions & CommonSpawnOptions = {
    env: childEnv(env, platform),
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // If gwtoken has no console of its own, as under a scheduler, the child would open one on the desktop.
    windowsHide: true,
  };
  try {
    return fork(childPath, [], options);
  } catch (error) {
    // Most failures to start arrive as an event of the child; out of memory is thrown.
    throw notStarted(error, platform);
  }
}

/**
 * Returns the environment without gwtoken's own variables, which hold secrets, and without those of Node and
 * Bun, which slow the child down, stop it (`--inspect-brk`) or make another program of it (BUN_BE_BUN). On
 * macOS and Windows Bun would report a crash of keytar to its makers.
 */
function childEnv(env: Env, platform: NodeJS.Platform): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !/^(GWTOKEN_|BUN_|NODE_)/i.test(name));
  // glib's messages are recognized by their English text.
  const inEnglish = platform === 'linux' ? { LC_ALL: 'C', LANGUAGE: '' } : {};
  return { ...Object.fromEntries(kept), ...inEnglish, DO_NOT_TRACK: '1' };
}

/** Sends the request, and settles with the child's answer or with its end. */
function answerOf(child: ChildProcess, request: Request, platform: NodeJS.Platform): Promise<Value> {
  return new Promise((resolve, reject) => {
    const fail = (detail: string): void => reject(keychainError('crashed', platform, detail));
    child.on('message', (answer: Answer) => {
      if ('value' in answer) resolve(answer.value);
      else reject(failureError(answer.failure, platform));
    });
    child.on('error', (error) => reject(notStarted(error, platform)));
    child.on('exit', (code, signal) => fail(`the keychain process ended: ${signal ?? `exit code ${code}`}`));
    // In Bun, a child that could not be started has no channel; its error follows.
    child.send?.(request, (error) => {
      if (error) fail(`cannot talk to the keychain process: ${error.message}`);
    });
  });
}

function notStarted(error: unknown, platform: NodeJS.Platform): Error {
  const detail = `cannot start the keychain process: ${messageOf(error)}`;
  return limitReached(error) ?? keychainError('crashed', platform, detail);
}

/** Returns a line that overwrites a spinner's. */
function noticeText(keyring: KeyringState | undefined, limitMs: number): string {
  const what =
    keyring === 'locked'
      ? 'the keychain is locked: unlock it in the dialog'
      : 'waiting for the keychain: is a dialog open?';
  return `\r\x1b[Kgwtoken: ${what} (up to ${limitMs / 1000} s)\n`;
}
