/**
 * The OS keychain through keytar, in a child program of ours for each call: it may wait for a person for ever, and it
 * may crash. The request goes over the IPC channel, never by argument or environment. Whatever the child does, the
 * call ends within its limit, and the child with it.
 */

import { type ChildProcess, fork } from 'node:child_process';
import { GwtokenError, messageOf } from '../../errors';
import { answerWithinMs, hasPerson } from '../../person';
import type { Keychain } from '../../world/keychain';
import type { Env, Output } from '../../world/streams';
import { type BusState, collectionOnBus } from './bus';
import { keychainError, notAnswered } from './errors';
import type { Answer, Request } from './protocol';

export interface Outside {
  readonly platform: NodeJS.Platform;
  readonly env: Env;
  readonly stderr: Output;
  /** The built src/system/keychain/child.ts. */
  readonly childPath: string;
}

const NOTICE_AFTER_MS = 2000;

export function openKeychain(outside: Outside): Keychain {
  const ask = (request: Request, limitMs?: number) => askChild(request, limitMs, outside);
  return {
    probe: async (limitMs) => String(await ask({ op: 'probe' }, limitMs)),
    async get(account, limitMs) {
      const value = await ask({ op: 'get', account }, limitMs);
      if (typeof value === 'string') return value;
      await checkReadable(outside, limitMs);
      return undefined;
    },
    async set(account, value, limitMs) {
      await ask({ op: 'set', account, value }, limitMs);
    },
    async delete(account, limitMs) {
      if ((await ask({ op: 'delete', account }, limitMs)) === true) return true;
      await checkReadable(outside, limitMs);
      return false;
    },
  };
}

/** Whether a person can answer a dialog of the keychain's. */
function canAnswerDialog(outside: Outside): boolean {
  const { platform, env } = outside;
  const desktop = platform === 'darwin' || platform === 'win32' || env['DISPLAY'] || env['WAYLAND_DISPLAY'];
  return Boolean(desktop) && hasPerson(outside);
}

/** On Linux "not there" may mean that the keyring is locked, or that there is none yet: the bus can tell. */
async function checkReadable(outside: Outside, limitMs: number | undefined): Promise<void> {
  if (outside.platform !== 'linux') return;
  const state = await collectionOnBus(outside.env);
  // Nobody to ask: a locked keyring shows itself when something is to be stored.
  if (state === 'unknown') await askChild({ op: 'probe' }, limitMs, outside);
  if (state === 'locked') throw keychainError('locked', outside.platform);
  // Where a person can answer, the keychain asks for a new keyring's password at the first login.
  if (state === 'no-collection' && !canAnswerDialog(outside)) throw keychainError(state, outside.platform);
}

/** One request to a child of its own. Resolves with its answer's value; rejects with a `keychain` error. */
function askChild(
  request: Request,
  givenLimitMs: number | undefined,
  outside: Outside,
): Promise<string | boolean | null> {
  const { platform, env, stderr, childPath } = outside;
  const person = canAnswerDialog(outside);
  const limitMs = givenLimitMs ?? answerWithinMs(person);
  return new Promise((resolve, reject) => {
    let child: ChildProcess;
    try {
      child = fork(childPath, [], {
        env: childEnv(env, platform),
        execArgv: [],
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      });
    } catch (error) {
      // What the system refuses for another reason than those that arrive as an event: no memory.
      return reject(keychainError('crashed', platform, `the keychain child: ${messageOf(error)}`));
    }
    let seen: BusState | undefined;
    const answered = new AbortController();
    const notice = setTimeout(async () => {
      if (platform === 'linux') seen = await collectionOnBus(env, answered.signal);
      if (!person || settled) return;
      try {
        stderr.write(noticeText(seen, limitMs));
      } catch {
        // Nobody reads it any more; the answer may still be wanted.
      }
    }, NOTICE_AFTER_MS);
    const limit = setTimeout(() => end(notAnswered(seen === 'locked', limitMs, person, platform)), limitMs);

    let settled = false;
    const end = (outcome: GwtokenError | { value: string | boolean | null }): void => {
      if (settled) return;
      settled = true;
      clearTimeout(notice);
      clearTimeout(limit);
      answered.abort();
      // Not unref'd: gwtoken itself ends after its child, so that nothing is left behind.
      child.kill('SIGKILL');
      if (outcome instanceof GwtokenError) reject(outcome);
      else resolve(outcome.value);
    };
    const crashed = (detail: string): void => end(keychainError('crashed', platform, detail));

    child.on('message', (message) => {
      const answer = checkedAnswer(message, request);
      if (answer === undefined) crashed('the keychain child gave an answer that is none');
      else if (answer.ok) end(answer);
      else end(keychainError(answer, platform));
    });
    child.on('error', (error) => crashed(`the keychain child: ${error.message}`));
    child.on('exit', (code, signal) =>
      crashed(`the keychain child ended by ${signal ?? `exit code ${code}`}`),
    );
    child.send(request, (error) => {
      if (error) crashed(`the keychain child takes no request: ${error.message}`);
    });
  });
}

/** An answer of the shape that the request asks for, or undefined. */
function checkedAnswer(message: unknown, { op }: Request): Answer | undefined {
  const answer = message as Answer | null;
  if (answer?.ok === true) {
    const { value } = answer;
    const fits = op === 'delete' ? typeof value === 'boolean' : typeof value === 'string' || value === null;
    return fits ? answer : undefined;
  }
  return answer?.ok === false && typeof answer.message === 'string' ? answer : undefined;
}

/** Without gwtoken's own variables, which hold secrets, and Node's, which slow it down or stop it (`--inspect-brk`). */
function childEnv(env: Env, platform: NodeJS.Platform): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !/^(GWTOKEN_|NODE_(?!PATH$))/i.test(name));
  // glib's messages are told apart by their English text.
  return { ...Object.fromEntries(kept), ...(platform === 'linux' ? { LC_ALL: 'C', LANGUAGE: '' } : {}) };
}

/** Written over the line that a spinner may be on. */
function noticeText(seen: BusState | undefined, limitMs: number): string {
  const what =
    seen === 'locked'
      ? 'the keychain is locked: answer its dialog'
      : 'waiting for the keychain: it may be asking you something in a dialog';
  return `\r\x1b[Kgwtoken: ${what} (within ${limitMs / 1000} s)\n`;
}
