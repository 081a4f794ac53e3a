/**
 * One request to the keychain's child. The call and the child end within the limit, whatever keytar does. The
 * request goes over the child's channel, never by argument or environment, which other programs of the user
 * can read, and arguments even other users.
 */

import { type ChildProcess, type CommonSpawnOptions, type ForkOptions, fork } from 'node:child_process';
import { limitReached, messageOf, quietly } from '../../errors';
import { answerWithinMs, hasPerson } from '../../waiting';
import type { Env, World } from '../../world';
import { TimedOut, withinLimit } from '../limit';
import { absolutePath } from '../processes/helper-program';
import { type BusState, collectionOnBus } from './bus';
import { checkBusTrust } from './bus-trust';
import type { Answer, Loaded, Request } from './child';
import { keychainError, notAnswered } from './errors';

export type KeychainWorld = Pick<World, 'platform' | 'env' | 'stderr'> & {
  /** The module that `fork()` runs: src/system/keychain/child.ts, built. */
  readonly childPath: string;
  /** Undefined on Windows. */
  readonly uid: number | undefined;
};

export type Value = Extract<Answer, { ok: true }>['value'];

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
  const { platform, env, stderr, uid } = world;
  if (platform === 'linux') checkBusTrust(env, { platform, uid });
  const desktop = platform === 'darwin' || platform === 'win32' || env['DISPLAY'] || env['WAYLAND_DISPLAY'];
  const person = Boolean(desktop) && hasPerson(world);
  const withinMs = limitMs ?? answerWithinMs(person);
  const noticeAtMs = performance.now() + NOTICE_AFTER_MS;
  let keyring: BusState | undefined;
  let notice: NodeJS.Timeout | undefined;
  // Loading may take longer than the limit on a busy machine, which says nothing about the keychain.
  let stage: 'loading' | 'waiting' = 'loading';
  let child: ChildProcess | undefined;
  const run = async (over: AbortSignal): Promise<Value> => {
    const showNotice = async (): Promise<void> => {
      if (platform === 'linux') keyring = await collectionOnBus(env, LOOK_MS, over);
      if (!person || over.aborted) return;
      // Nobody may read stderr any more; the answer may still be wanted.
      quietly(() => stderr.write(noticeText(keyring, withinMs)));
    };
    const onLoaded = (): void => {
      if (over.aborted || stage === 'waiting') return;
      stage = 'waiting';
      notice = setTimeout(showNotice, Math.max(noticeAtMs - performance.now(), 0));
    };
    child = startChild(world);
    return await answerOf(child, request, onLoaded, platform);
  };
  const late = (): Error =>
    notAnswered(stage === 'waiting' ? keyring : 'not-started', withinMs, person, platform);
  try {
    return await withinLimit(withinMs, run, signal);
  } catch (error) {
    throw error instanceof TimedOut ? late() : error;
  } finally {
    clearTimeout(notice);
    // Not unref'd: gwtoken itself ends after its children, so that nothing is left behind.
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
  // GLib looks for dbus-launch there. Windows spells the name in its own way, and starts nothing.
  const path = platform === 'win32' ? {} : { PATH: absolutePath(env) };
  // glib's messages are recognized by their English text.
  const inEnglish = platform === 'linux' ? { LC_ALL: 'C', LANGUAGE: '' } : {};
  return { ...Object.fromEntries(kept), ...path, ...inEnglish, DO_NOT_TRACK: '1' };
}

/** Sends the request, and settles with the child's answer or with its end. */
function answerOf(
  child: ChildProcess,
  request: Request,
  onLoaded: () => void,
  platform: NodeJS.Platform,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const fail = (detail: string): void => reject(keychainError('crashed', platform, detail));
    child.on('message', (message) => {
      if (message === ('loaded' satisfies Loaded)) onLoaded();
      else if (!isAnswer(message, request)) fail('unexpected answer from the keychain process');
      else if (message.ok) resolve(message.value);
      else reject(keychainError(message, platform));
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

function isAnswer(message: unknown, { op }: Request): message is Answer {
  const answer = message as Answer | null;
  if (answer?.ok !== true) return answer?.ok === false && typeof answer.message === 'string';
  const { value } = answer;
  return op === 'delete' ? typeof value === 'boolean' : typeof value === 'string' || value === null;
}

/** Returns a line that overwrites a spinner's. */
function noticeText(keyring: BusState | undefined, limitMs: number): string {
  const what =
    keyring === 'locked'
      ? 'the keychain is locked: unlock it in the dialog'
      : 'waiting for the keychain: is a dialog open?';
  return `\r\x1b[Kgwtoken: ${what} (up to ${limitMs / 1000} s)\n`;
}
