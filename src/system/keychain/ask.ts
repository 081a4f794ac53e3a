/**
 * Sends one request to the keychain through child processes. The limit ends both the call and the child, even
 * if keytar hangs. The request goes over the child's IPC channel, because other programs can read arguments
 * and environment variables.
 */
import { type CommonSpawnOptions, type ForkOptions, fork } from 'node:child_process';
import { GwtokenError } from '../../errors';
import { note } from '../../note';
import { ANSWER_WITHIN_MS, hasPerson } from '../../surroundings';
import { isProcessLimit, systemCode } from '../../system-errors';
import type { Env, World } from '../../world';
import type { Host } from '../files/paths';
import { TimedOut, withinLimit } from '../limit';
import type { ChildAnswer } from './child';
import { failureError, keychainError, notAnswered } from './errors';
import { accountsOnBus, isAbsent, type KeyringProblem, keyringProblem } from './keyring-state';
import type { Request, Result } from './operations';
import { withSessionBus } from './session-bus';

export interface KeychainWorld extends Host, Pick<World, 'env' | 'stderr'> {
  /** The module that `fork()` runs: src/system/keychain/child.ts, built. */
  readonly childPath: string;
  /** Called when a `get` is sent, for work to do while the child reads the secret. */
  whileReading(): void;
}

/** After this time, gwtoken says that it waits for the keychain. */
export const NOTICE_AFTER_MS = 2000;

/**
 * Returns the result of the request. The limit covers all children, and the questions to the bus about the
 * keyring; it is by default 60 s if a person can answer a dialog, otherwise 10 s. The signal ends the wait
 * before it. Throws `keychain`, the signal's reason, or the system's error at a limit of this process.
 */
export async function ask(
  request: Request,
  limitMs: number | undefined,
  given: KeychainWorld,
  signal?: AbortSignal,
): Promise<Result> {
  const isLinux = given.platform === 'linux';
  const world = isLinux ? { ...given, env: withSessionBus(given.env, given) } : given;
  const hasDesktop = !isLinux || Boolean(world.env['DISPLAY'] || world.env['WAYLAND_DISPLAY']);
  const canAnswer = hasDesktop && hasPerson(world);
  const withinMs = limitMs ?? ANSWER_WITHIN_MS[canAnswer ? 'person' : 'nobody'];
  const send = isLinux ? askKeyring : askChild;
  const silence = watchSilence(world, canAnswer ? withinMs : undefined);
  try {
    return await withinLimit(withinMs, (over) => send(request, world, over), signal);
  } catch (error) {
    throw error instanceof TimedOut ? notAnswered(silence.problem(), withinMs) : error;
  } finally {
    silence.end();
  }
}

/**
 * Waits for two seconds of silence. Then it says for how long a person can answer, and on Linux asks the bus
 * for a problem that explains the silence if the limit is reached.
 */
function watchSilence(
  world: KeychainWorld,
  dialogMs: number | undefined,
): { problem(): KeyringProblem; end(): void } {
  const ended = new AbortController();
  let problem: KeyringProblem;
  const notice = setTimeout(async () => {
    if (dialogMs !== undefined)
      note(world, `waiting for the keychain: answer its dialog (up to ${dialogMs / 1000} s)`);
    if (world.platform === 'linux') problem = await keyringProblem(world.env, ended.signal);
  }, NOTICE_AFTER_MS);
  return {
    problem: () => problem,
    end() {
      clearTimeout(notice);
      ended.abort();
    },
  };
}

/**
 * Asks on Linux, where a keyring that is locked or missing also answers "absent" or "denied". Asks once more
 * if a `get` finds no item, because in a session with a wrong key an item can read as absent.
 */
async function askKeyring(request: Request, world: KeychainWorld, over: AbortSignal): Promise<Result> {
  const { env } = world;
  // The bus lists the items if it can, because keytar crashes on a locked one and on one without an account.
  const accounts = request.op === 'accounts' ? await accountsOnBus(env, over) : undefined;
  const result = accounts
    ? { found: accounts.length > 0, accounts }
    : await askInSessions(request, world, over);
  // A set has read its value back, so the keyring is open.
  if (result.found || request.op === 'set') return result;
  await assertOpen(env, over);
  if (request.op === 'get') return await askInSessions(request, world, over);
  if (request.op === 'delete' && !(await isAbsent(request.account, env, over)))
    return { found: false, mayBeHidden: true };
  return result;
}

/** Sessions in which a call is tried. */
const MOST_SESSIONS = 3;

/**
 * Asks another child if a call fails because of a wrong key: in about 1 % of KWallet 5's sessions, the
 * keychain and keytar use different keys. Each child opens a new session.
 */
async function askInSessions(
  request: Request,
  world: KeychainWorld,
  over: AbortSignal,
  sessionsLeft = MOST_SESSIONS,
): Promise<Result> {
  try {
    return await askChild(request, world, over);
  } catch (error) {
    const reason = error instanceof GwtokenError ? error.reason : undefined;
    if (reason === 'denied') await assertOpen(world.env, over);
    if (reason !== 'key-mismatch' || sessionsLeft === 1) throw error;
    return await askInSessions(request, world, over, sessionsLeft - 1);
  }
}

/** Throws `keychain` if the keyring is locked or missing. */
async function assertOpen(env: Env, over: AbortSignal): Promise<void> {
  const problem = await keyringProblem(env, over);
  if (problem !== undefined) throw keychainError(problem);
}

/** Asks a new child, and kills it when it has answered or `over` is aborted. */
async function askChild(request: Request, world: KeychainWorld, over: AbortSignal): Promise<Result> {
  over.throwIfAborted();
  const child = fork(world.childPath, [], childOptions(world));
  const kill = () => child.kill('SIGKILL');
  over.addEventListener('abort', kill, { once: true });
  try {
    return await new Promise<Result>((resolve, reject) => {
      const crashed = (how: string) => keychainError('crashed', `the keychain process ${how}`);
      child.on('message', (answer: ChildAnswer) => {
        if ('failure' in answer) reject(failureError(answer.failure, world.platform));
        else resolve(answer);
      });
      child.on('error', (error) =>
        reject(isProcessLimit(systemCode(error)) ? error : crashed(`failed: ${error.message}`)),
      );
      child.on('exit', (code, signal) => reject(crashed(`ended: ${signal ?? `exit code ${code}`}`)));
      // In Bun, a child that failed to start has no channel; the `error` event follows.
      child.send?.(request);
      if (request.op === 'get') world.whileReading();
    });
  } finally {
    kill();
  }
}

/**
 * Returns options that start the child without gwtoken's variables, because they hold secrets, and without
 * those of Node and Bun, because they could slow the child down, stop it (`--inspect-brk`) or run another
 * program (BUN_BE_BUN).
 */
function childOptions({ env, platform }: KeychainWorld): ForkOptions & CommonSpawnOptions {
  const kept = Object.entries(env).filter(([name]) => !/^(GWTOKEN_|BUN_|NODE_)/i.test(name));
  // gwtoken recognizes glib's messages by their English text.
  const inEnglish = platform === 'linux' ? { LC_ALL: 'C', LANGUAGE: '' } : {};
  return {
    // Without DO_NOT_TRACK, Bun on macOS and Windows reports a crash of keytar to Bun's authors.
    env: { ...Object.fromEntries(kept), ...inEnglish, DO_NOT_TRACK: '1' },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // Without a console, as under a scheduler, the child would open a console window on the desktop.
    windowsHide: true,
  };
}
