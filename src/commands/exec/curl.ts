/** The command `gwtoken curl`: curl with a token's header, which is in no argument, variable or named file. */

import { withoutCredentials } from '../../credentials/sources';
import { usage } from '../../errors';
import { getFormat } from '../../formats/get-formats';
import { OMIT_COMMENT } from '../../hints/hints';
import type { FlagValues, Settings } from '../../settings/table';
import { note } from '../../text';
import type { Env, World } from '../../world';
import { readSettings, selectedToken } from '../selected-token';
import { codeOrSignal } from './exec';

export async function runCurl(flags: FlagValues, world: World, typed: readonly string[]): Promise<number> {
  if (typed.includes('#')) throw usage('curl takes no "#"', [OMIT_COMMENT]);
  // curl ignores its own config file only if its first argument begins with -q. The rest of that word may
  // take a value, which must not be gwtoken's own option.
  const [quiet, others] = /^(-q)(.+)/s.exec(typed[0]!)?.slice(1) ?? [];
  const words = quiet === undefined ? typed : [quiet, `-${others}`, ...typed.slice(1)];
  const settings = readSettings(flags, world);
  const at = await pathAt(words, world);
  const args = at < 0 ? words : words.with(at, belowApiUrl(words[at]!, settings));
  const answer = await selectedToken(settings, world);
  const header = getFormat({ format: 'curl' })(answer, world.now());

  const optionAt = ['-q', '--disable'].includes(args[0]!) ? 1 : 0;
  const content = header + protocolsFor(args[at < 0 ? optionAt : at] ?? '', words);
  const options = { env: withoutCredentials(world.env), text: { option: '-K', content, at: optionAt } };
  const code = codeOrSignal(await world.runProgram('curl', args, options));
  const hint = hintFor(code, words, world.env);
  if (hint !== undefined) note(world, `hint: ${hint}`);
  return code;
}

/**
 * Returns the index of the path: of the first word that begins with a single slash and is not the value of an
 * option; -1 if there is none. Asks curl for its options if one stands before such a word.
 */
async function pathAt(words: readonly string[], world: World): Promise<number> {
  const isPath = (word: string): boolean => /^\/(?!\/)/.test(word);
  const first = words.findIndex(isPath);
  if (first <= 0 || !/^-./s.test(words[first - 1]!)) return first;
  const switches = switchesIn(await world.programOutput('curl', ['--help', 'all']));
  for (let at = 0; at < words.length; at++) {
    if (isPath(words[at]!)) return at;
    if (takesNextWord(words[at]!, switches)) at++;
  }
  return -1;
}

/** Returns the options in curl's help that take no value, as in ` -s, --silent  Silent mode`. */
function switchesIn(help: string): ReadonlySet<string | undefined> {
  const rows = help.matchAll(/^ +(?:(-.), )?(--\S+)(?!\S| [<[])/gm);
  return new Set([...rows].flatMap(([, short, long]) => [short, long]));
}

/** Returns whether the next word is the value of an option in this word. */
function takesNextWord(word: string, switches: ReadonlySet<string | undefined>): boolean {
  if (!/^-./s.test(word)) return false;
  if (word.startsWith('--')) return !switches.has(word);
  // In `-sSo FILE`, o takes the next word; in `-oFILE`, the rest of its own.
  const at = [...word].findIndex((letter, index) => index > 0 && !switches.has(`-${letter}`));
  return at === word.length - 1;
}

/** Returns the URL of a path below the API URL. @throws GwtokenError `usage` if none is set */
function belowApiUrl(path: string, { client, apiUrl }: Settings): string {
  if (apiUrl) return apiUrl.value + path;
  throw usage(`no API URL set for ${path}`, { reason: 'no-api-url', client });
}

/** Returns the hint for an exit code of curl that gwtoken's rules may have caused. */
function hintFor(code: number, words: readonly string[], env: Env): string | undefined {
  const [first = ''] = words;
  const isNoUrl = code === INVALID_URL || code === UNKNOWN_HOST;
  // Git Bash turns /orders into C:/Program Files/Git/orders.
  const isConverted = env['MSYSTEM'] !== undefined && words.some((word) => /^[a-z]:\//i.test(word));
  if (isConverted && (isNoUrl || code === UNSUPPORTED_PROTOCOL))
    return 'Git Bash changes words that begin with /: set MSYS_NO_PATHCONV=1, or type //PATH';
  if (code === TLS_FAILED && LOOPBACK.test(`http://${first}`))
    return 'begin the URL with http:// if the server does not speak TLS';
  if (code === UNSUPPORTED_PROTOCOL)
    return 'begin the URL with https://; http:// needs a loopback URL first, and no other http:// word';
  if (isNoUrl && BARE_PATH.test(first)) return 'begin the path with a slash: gwtoken curl /PATH';
  return undefined;
}

/** Exit codes of curl. curl may read a path such as `/orders` as an invalid URL or as an unknown host. */
const UNSUPPORTED_PROTOCOL = 1;
const INVALID_URL = 3;
const UNKNOWN_HOST = 6;
const TLS_FAILED = 35;

/** Matches a path without its first slash, such as `orders/5`. Most hosts have a dot or a port. */
const BARE_PATH = /^\w[\w-]*([/?]|$)/;

/** Matches a URL of a loopback address. In `http://localhost@a` or `http://localhost\@a` the host is `a`. */
const LOOPBACK = /^http:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?([/?#]|$)/i;

/**
 * Returns options that make curl refuse to send the token unencrypted, in whatever way a URL is given. If the
 * first URL is a loopback one, plain http is allowed without a proxy, unless another word is an http URL.
 */
function protocolsFor(url: string, words: readonly string[]): string {
  const isHttpElsewhere = words.some((word) => /^http:/i.test(word) && !LOOPBACK.test(word));
  const isLoopback = LOOPBACK.test(url) && URL.canParse(url) && !isHttpElsewhere;
  const protocols = isLoopback ? 'proto = "=http,https"\nnoproxy = "*"\n' : 'proto = "=https"\n';
  return `proto-default = "https"\n${protocols}`;
}
