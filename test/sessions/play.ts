import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, isAbsolute, join } from 'node:path';
import { expect } from 'vitest';
import { type ErrorKind, GwtokenError } from '../../src/errors';
import { keychainError } from '../../src/system/keychain/errors';
import { words } from '../harness/command-lines';
import { startTokenEndpoint, tokenReply } from '../harness/endpoints/token-endpoint';
import { type Ended, type Inside, inside } from '../harness/homes/in-process';
import { runProgram } from '../harness/programs/program';

/** Set-up lines `name: text`, which are valid until the end of the part. */
const SETUP: Readonly<Record<string, (gw: Inside, text: string) => unknown>> = {
  /** `both`: the built program plays the part too, so that it may have no clock, item, keychain or login. */
  form: () => {},
  config: (gw, text) => gw.configure(text),
  /** An absolute path and a text. */
  file(_, text) {
    const [path = '', content = ''] = text.split(/ (.*)/s);
    if (!isAbsolute(path)) throw new Error(`${path}: begin it with $DIR/, $CONFIG/ or $CACHE/`);
    writeFileSync(path, content, { mode: 0o600 });
  },
  env: (gw, text) => Object.assign(gw.env, variables(words(text))),
  /** Flags of an unverified login. */
  login: (gw, text) => gw.login({ authUrl: 'https://a.example.com', flags: ['--no-verify', ...words(text)] }),
  clock: (gw, text) => Object.assign(gw, { nowMs: gw.nowMs + Math.round(parseFloat(text) * 1000) }),
  stdin: (gw, text) => Object.assign(gw, { stdin: text.replaceAll('\\n', '\n') }),
  /** The words that a person types at the terminal, one for each prompt: `''` for Enter, `^C` for Ctrl-C. */
  type: (gw, text) => Object.assign(gw, { typed: words(text.replaceAll('\\t', '\t')) }),
  item: (gw, text) => gw.items.set(...(text.split(/ (.*)/s, 2) as [string, string])),
  /** Members of each token reply, or a status with a body, or the kind of an error with a message. */
  endpoint(gw, text) {
    const [, status, kind, rest = ''] = /^(?:(\d+) |([\w-]+) )?(.*)$/.exec(text)!;
    gw.answer = (post) => {
      if (kind) throw new GwtokenError(kind as ErrorKind, rest);
      return status ? { status: Number(status), body: JSON.parse(rest) } : tokenReply(post, JSON.parse(rest));
    };
  },
  keychain(gw, reason) {
    const fail = () => Promise.reject(keychainError(reason as 'locked'));
    const keychain = { probe: fail, get: fail, set: fail, delete: fail, accounts: fail };
    gw.own = { platform: 'linux', keychain };
  },
};

const COMMANDS: Readonly<Record<string, (gw: Inside, args: string[]) => Partial<Ended> | Promise<Ended>>> = {
  gwtoken: (gw, args) => gw.cli(args),
  cat: (_, [path]) => ({ stdout: readFileSync(path!, 'utf8') }),
  ls: (_, [path]) => ({ stdout: [...readdirSync(path!).sort(), ''].join('\n') }),
};

const variables = (args: string[]) => Object.fromEntries(args.map((word) => word.split(/=(.*)/s)));

/** Returns the lines of a text with a prefix. The last line is marked if it has no newline. */
function marked(prefix: string, text: string): string[] {
  const lines = text.split('\n');
  const rest = lines.pop();
  if (rest) lines.push(`${rest}(no end of line)`);
  return lines.map((line) => (line === '' ? prefix.trim() : prefix + line));
}

/** Returns the fields of a token request: ` as ID with SECRET`, or the whole form if it has other fields. */
function fieldsOf(form: URLSearchParams): string {
  const [client_id = '', client_secret = ''] = ['client_id', 'client_secret'].map(
    (name) => form.get(name) ?? '',
  );
  const usual = new URLSearchParams({ client_id, client_secret, grant_type: 'client_credentials' });
  return `${form}` === `${usual}` ? ` as ${client_id} with ${client_secret}` : `?${form}`;
}

/** Runs a `$` line (`\n` is a newline). Returns its requests, output, and exit code unless that is 0. */
async function runLine(gw: Inside, line: string): Promise<string[]> {
  const all = words(line.replaceAll('\\n', '\n'));
  const commandAt = all.findIndex((word) => !/^\w+=/.test(word));
  const [name = '', ...args] = all.slice(commandAt);
  const [env, sent] = [gw.env, gw.posts.length];
  gw.env = { ...env, ...variables(all.slice(0, commandAt)) };
  const { stdout = '', stderr = '', code = 0 } = await COMMANDS[name]!(gw, args);
  gw.env = env;
  const posts = gw.posts.slice(sent).map(({ url, form }) => `POST ${url}${fieldsOf(form)}\n`);
  const parts = { '> ': posts.join(''), '| ': stdout, '! ': stderr, 'exit ': code === 0 ? '' : `${code}\n` };
  return Object.entries(parts).flatMap(([prefix, text]) => marked(prefix, text));
}

/** The player of a session: gwtoken in this process, or the built program with a real home and endpoint. */
interface Player {
  readonly gw: Inside;
  /** Texts of the session with what stands for them. */
  readonly places: Readonly<Record<string, string>>;
}

export function inProcess(): Player {
  const gw = inside();
  gw.nowMs = Date.UTC(2030, 0, 1, 12);
  return { gw, places: {} };
}

/** The endpoint of the sessions that the built program plays too. */
const AUTH_URL = 'https://a.example.com';

/** Returns a player that runs the built program. It has the machine's clock, and no keychain. */
export async function builtProgram(): Promise<Player> {
  const gw = inside();
  const endpoint = await startTokenEndpoint(async (_, form) => {
    gw.posts.push({ url: `${endpoint.authUrl}/oauth2/token`, atMs: 0, form });
    return await gw.answer(gw.posts.length);
  });
  gw.cli = async (argv) => {
    const { code, stdout, stderr } = await runProgram(argv, {
      env: { ...gw.home, ...gw.env },
      stdin: gw.stdin,
    });
    return { code: code ?? -1, stdout, stderr };
  };
  return { gw, places: { [AUTH_URL]: endpoint.authUrl } };
}

/** Plays the head of a file with one of its parts. Returns both with the recorded output. */
async function play(
  text: string,
  { gw, places: own }: Player,
  needs: (need: 'posix') => void,
): Promise<string> {
  // Without a session bus, hints name variables instead of `gwtoken login`.
  gw.env = { XDG_RUNTIME_DIR: '/run/user/1000' };
  const here = { $CONFIG: gw.config, $CACHE: gw.cache, $DIR: gw.dir, $PWD: process.cwd() };
  const places = Object.entries({ ...here, ...own });
  const played: string[] = [];
  for (const line of text.split('\n').filter((each) => !/^([|!>]|exit \d)/.test(each))) {
    const typed = places.reduce((rest, [name, path]) => rest.replaceAll(name, path), line);
    const [, name = '', value = ''] = /^(\w+): ?(.*)$/.exec(typed) ?? [];
    played.push(line);
    if (line.startsWith('$ ')) played.push(...(await runLine(gw, typed.slice(2))));
    else if (name === 'needs') needs(value as 'posix');
    else if (SETUP[name]) await SETUP[name](gw, value);
    else if (!/^(== |#|$)/.test(line)) throw new Error(`unknown line: ${line}`);
  }
  const named = places.reduce((rest, [name, path]) => rest.replaceAll(path, name), played.join('\n'));
  // On Windows, a backslash follows a place.
  return named.replace(/(\$(?:CONFIG|CACHE|DIR|PWD))\\/g, '$1/');
}

/** Fails with the line of the first `$` line whose output is not the recorded one. The difference begins there. */
function failAt(file: string, part: string, played: string): void {
  const [recorded, runs] = [part, played].map((text) => text.split(/^(?=\$ )/m)) as [string[], string[]];
  const same = recorded.findIndex((lines, at) => lines !== runs[at]);
  const text = readFileSync(file, 'utf8');
  const before = text.slice(0, text.indexOf(part)) + recorded.slice(0, same).join('');
  const place = `text/${basename(file)}:${before.split('\n').length}`;
  expect(runs.slice(same).join(''), place).toBe(recorded.slice(same).join(''));
}

interface Part {
  readonly title: string;
  /** True if the built program plays the part too. */
  readonly isForBoth: boolean;
  /** Plays the part, and compares what it prints with what is recorded, or records it. */
  check(player: Player, needs: (need: 'posix') => void): Promise<void>;
}

const TEXTS = join(import.meta.dirname, 'text');
export const SESSIONS: readonly (readonly [name: string, parts: readonly Part[]])[] = readdirSync(TEXTS).map(
  (name) => {
    const file = join(TEXTS, name);
    const [head = '', ...parts] = readFileSync(file, 'utf8').split(/^(?=== )/m);
    const opened = parts.map((part) => ({
      title: part.slice('== '.length, part.indexOf('\n')),
      isForBoth: /^form: both$/m.test(part),
      async check(player: Player, needs: (need: 'posix') => void) {
        const played = (await play(head + part, player, needs)).slice(head.length);
        // Nothing to record: another test file may be recording at the same time.
        if (played === part) return;
        const next = readFileSync(file, 'utf8').replace(part, () => played);
        if (expect.getState().snapshotState.snapshotUpdateState === 'all') writeFileSync(file, next);
        else failAt(file, part, played);
      },
    }));
    return [name, opened];
  },
);
