import { expect } from 'vitest';
import { quick } from '../../../src/cli/quick';
import { run } from '../../../src/cli/run';
import type { FormReply } from '../../../src/post-form';
import { Interrupted, ReaderGone } from '../../../src/signals';
import { openQuickWorld, type QuickStart } from '../../../src/system/quick-world';
import { openSpinner } from '../../../src/system/terminal/spinner';
import { openTerminal, type ReadLine } from '../../../src/system/terminal/terminal';
import { openWorld } from '../../../src/system/world';
import type { Keychain, World } from '../../../src/world';
import { CLIENT } from '../endpoints/identity-server';
import { type Answer, tokenReply } from '../endpoints/token-endpoint';
import { inVariables, type Login, loginArgs } from './client';
import { type HomeDirectories, openDirectories } from './directory';

export interface Inside extends HomeDirectories {
  /** HOME and the XDG directories. */
  readonly home: Readonly<Record<string, string>>;
  /** The variables of the next runs. By default they contain a client. */
  env: Record<string, string>;
  nowMs: number;
  /** Returns the endpoint's reply to POST number 1, 2, …, or throws an error of the connection. */
  answer(post: number): Answer | Promise<Answer>;
  readonly posts: { readonly url: string; readonly atMs: number; readonly form: URLSearchParams }[];
  /** The keychain's texts by account. */
  readonly items: Map<string, string>;
  /** The keychain, for a test that replaces a part of it. */
  readonly keychain: Keychain;
  /** The text on stdin. */
  stdin: string;
  /** The lines that a person will type at the terminal, `^C` for Ctrl-C; undefined if there is no terminal. */
  typed: string[] | undefined;
  /** Members of the CLI's World that the test replaces. */
  own: Partial<World>;
  /** Number of reads of the keychain. */
  keychainCalls: number;
  /** Returns the answer of the quick path. */
  quick(argv: readonly string[]): ReturnType<typeof quick>;
  /** Runs the CLI without the quick path. */
  cli(argv: readonly string[]): Promise<Ended>;
  /** Interrupts the run by a SIGINT. Never resolves, as a call that the signal has cancelled. */
  interrupt(): Promise<never>;
  /** Stores a client with `gwtoken login`; rejects if that fails. */
  login(login?: Login): Promise<Ended>;
  /** Returns the output of the CLI's `get`, which must succeed with an empty stderr. */
  get(...args: string[]): Promise<string>;
}

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Opens gwtoken in this process with real files, and with the test's clock, connection and keychain. */
export function inside(): Inside {
  const home = openDirectories();
  let names = 0;
  const listeners = new Set<(signal: NodeJS.Signals) => void>();

  const open = (): QuickStart => {
    const { platform, geteuid } = process;
    const env = { ...home.env, ...gw.env, ...(gw.typed && { NO_COLOR: '1' }) };
    const opened = openQuickWorld({ env, platform, ...(geteuid && { geteuid }) });
    return { ...opened, quickWorld: { ...opened.quickWorld, now: () => gw.nowMs } };
  };

  const keychain: Keychain = {
    probe: async () => {},
    async get(account) {
      gw.keychainCalls++;
      return gw.items.get(account);
    },
    async set(account, value) {
      const isReplaced = gw.items.has(account);
      gw.items.set(account, value);
      return isReplaced;
    },
    delete: async (account) => (gw.items.delete(account) ? 'removed' : 'absent'),
    accounts: async () => [...gw.items.keys()],
  };

  const gw: Inside = {
    ...home,
    home: home.env,
    env: inVariables('https://a.example.com'),
    nowMs: Date.now(),
    answer: (post) => tokenReply(post),
    posts: [],
    items: new Map(),
    keychain,
    keychainCalls: 0,
    stdin: '',
    typed: undefined,
    own: {},
    quick: (argv) =>
      quick(argv, { ...open().quickWorld, mayBeTerminal: () => gw.own.stdout?.isTTY() ?? false }),
    async login(login = {}) {
      gw.stdin = login.clientSecret ?? CLIENT.clientSecret;
      const ended = await gw.cli(loginArgs(login));
      expect(ended).toEqual({ ...ended, code: 0 });
      return ended;
    },
    async get(...args) {
      const ended = await gw.cli(['get', ...args]);
      expect(ended).toEqual({ code: 0, stdout: ended.stdout, stderr: '' });
      return ended.stdout.trim();
    },
    interrupt() {
      for (const listener of listeners) listener('SIGINT');
      return new Promise(() => {});
    },
    async cli(argv) {
      let stdout = '';
      let stderr = '';
      const isTTY = () => gw.typed !== undefined;
      const streams: Pick<World, 'stdin' | 'stdout' | 'stderr'> = {
        stdin: { isTTY, read: async () => Buffer.from(gw.stdin) },
        stdout: {
          isTTY: () => false,
          write(text) {
            stdout += text;
          },
        },
        stderr: {
          isTTY,
          write(text) {
            stderr += text;
          },
        },
      };
      const readLine: ReadLine = async (question, isSecret) => {
        const line = gw.typed?.shift();
        if (line === undefined) throw new Error(`nobody types an answer: ${question}`);
        stderr += `${question}${isSecret ? '(not shown)' : line || '(Enter)'}\n`;
        if (line === '^C') throw new Interrupted('SIGINT');
        return line;
      };
      // Signals would reach vitest itself, and each run in this process would add listeners for them.
      const onSignals: World['onSignals'] = (_, listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      };
      const opened = open();
      const { world: real } = openWorld(process, { version: '0.0.0', repository: null }, opened);
      const own: Partial<World> = {
        ...streams,
        terminal: {
          ...real.terminal,
          ...openTerminal({ ...streams, env: opened.quickWorld.env }, async () => readLine),
          spin: openSpinner(streams.stderr, () => false, onSignals).spin,
        },
        keychain,
        onSignals,
        monotonicMs: () => gw.nowMs,
        describeBuild: () => 'the build of the tests',
        uniqueName: () => `name-${++names}`,
        async postForm(url, { body }) {
          gw.posts.push({ url, atMs: gw.nowMs, form: new URLSearchParams(body) });
          const { status = 200, body: reply } = await gw.answer(gw.posts.length);
          return jsonReply(status, reply, gw.nowMs);
        },
        ...gw.own,
      };
      // The World's own actions, such as warnings, also use the replaced members.
      const world = Object.assign(real, own);
      try {
        return { code: await run(argv, world), stdout, stderr };
      } catch (error) {
        // The program ends by the signal, or as by SIGPIPE.
        if (error instanceof Interrupted || error instanceof ReaderGone)
          return { code: error.exitCode, stdout, stderr };
        throw new Error(`run() rejected after ${stderr}`, { cause: error });
      }
    },
  };
  return gw;
}

/** Returns a reply of the endpoint, for a test that replaces the connection. */
export function jsonReply(status: number, reply: unknown, atMs = Date.now()): FormReply {
  const headers = new Headers({ 'content-type': 'application/json', date: new Date(atMs).toUTCString() });
  return { status, headers, body: Buffer.from(JSON.stringify(reply)) };
}
