import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { type ErrorKind, GwtokenError } from '../../src/errors';
import { keychainError } from '../../src/system/keychain/errors';
import { words } from '../harness/command-lines';
import { tokenReply } from '../harness/endpoints/token-endpoint';
import { type Ended, type Inside, inside } from '../harness/homes/in-process';

/** Set-up lines `name: text`, which are valid until the end of the part. */
const SETUP: Readonly<Record<string, (gw: Inside, text: string) => unknown>> = {
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

/** Plays the head of a file with one of its parts. Returns both with the recorded output. */
export async function play(text: string, needs: (need: 'posix') => void): Promise<string> {
  const gw = inside();
  gw.nowMs = Date.UTC(2030, 0, 1, 12);
  // Without a session bus, hints name variables instead of `gwtoken login`.
  gw.env = { XDG_RUNTIME_DIR: '/run/user/1000' };
  const places = Object.entries({ $CONFIG: gw.config, $CACHE: gw.cache, $DIR: gw.dir, $PWD: process.cwd() });
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
