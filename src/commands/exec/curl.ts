/** The command `gwtoken curl`: curl with a token's header, which is in no argument, variable or file. */

import type { Client } from '../../client';
import { failure, GwtokenError, usage } from '../../errors';
import { getFormat } from '../../formats/get';
import { maskToken } from '../../formats/mask';
import { gather, resolveApiUrl, resolveClient } from '../../settings/resolve';
import { type FlagValues, SETTINGS, type Setting } from '../../settings/table';
import { setUrlCommand } from '../../settings/words';
import type { ChildEnd, Env, World } from '../../world';
import { selectedToken } from '../selected-token';
import { childEnvironment, exitCodeOf } from './run';

export async function runCurl(flags: FlagValues, world: World, typed: readonly string[]): Promise<number> {
  const [method = ''] = typed;
  if (/^(get|post|put|patch|delete|head|options)$/i.test(method))
    throw usage(`${method} is not a URL`, `did you mean: gwtoken curl -X ${method.toUpperCase()} URL`);
  const sources = gather(flags, world);
  const { client } = resolveClient(sources);
  const args = belowApiUrl(typed, resolveApiUrl(sources, client), client);
  const isWindows = world.platform === 'win32';
  if (isWindows && args.some((word) => READS_STDIN.test(word)))
    throw usage(
      'curl cannot read stdin on Windows: gwtoken passes it the header there',
      'use a file instead',
    );
  const answer = await selectedToken(sources, world);
  maskToken(answer.token.accessToken, world);
  const header = getFormat({ format: 'curl' }).write(answer, world.now());

  const env = childEnvironment(world.env, [], world.platform);
  // curl heeds -q only as its first argument.
  const quiet = /^(-q|--disable$)/.test(args[0] ?? '') ? ['-q'] : [];
  const words = [...quiet, '-K', isWindows ? '-' : '/dev/fd/3', ...args];
  const code = exitCodeOf(await runCurlItself(words, env, header + protocolsFor(args), world));
  if (code === UNSUPPORTED_PROTOCOL && args.some((word) => /^http:/i.test(word)))
    world.stderr.write('gwtoken: hint: the token is sent over https only: begin the URL with https://\n');
  return code;
}

/** Options of curl that take no value: the word after any other option is taken for its value. */
const SWITCH = new RegExp(
  '^(-[#0-46aBfgGiIjJlLMnNOpqRsSvZ]+|--(compressed|fail[\\w-]*|get|head|http[\\d.]+|include|insecure' +
    '|ipv[46]|location[\\w-]*|next|no-[\\w-]+|parallel|remote-name|show-error|silent|url|verbose))$',
);

/**
 * Puts the API URL before each argument that is a path, and refuses URLs of other hosts, which may be slips.
 */
function belowApiUrl(
  args: readonly string[],
  apiUrl: Setting<string> | undefined,
  client: Client,
): readonly string[] {
  return args.map((word, index) => {
    const before = args[index - 1] ?? '';
    if (word.startsWith('-') || (before.startsWith('-') && !SWITCH.test(before))) return word;
    if (apiUrl === undefined) {
      if (!word.startsWith('/')) return word;
      const set = setUrlCommand(SETTINGS.apiUrl, client, 'https://YOUR-GATEWAY');
      throw usage(`no API URL set for ${word}`, `to set it, run: ${set}`, 'or begin the URL with https://');
    }
    if (word.startsWith('/')) return apiUrl.value + word;
    const [host, own] = [word, apiUrl.value].map((url) => hostOf(url));
    if (host === own || host === undefined) return word;
    throw usage(
      `the URL is for ${host}, but the API URL is for ${own} (from ${apiUrl.source.name}); nothing was sent`,
      'use a path, such as /orders, or a --profile with another API URL',
    );
  });
}

/** Returns the host of a URL as curl reads it, whose scheme may be left out; undefined if it is none. */
function hostOf(url: string): string | undefined {
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? url : `https://${url}`;
  return URL.canParse(whole) ? new URL(whole).host : undefined;
}

/** Runs curl; if it is not installed, the error says how to install it. */
async function runCurlItself(
  words: readonly string[],
  env: Env,
  text: string,
  world: World,
): Promise<ChildEnd> {
  try {
    return await world.runProgram('curl', words, env, text);
  } catch (error) {
    if (!(error instanceof GwtokenError) || error.kind !== 'not-found') throw error;
    throw failure(error.kind, error.message, 'install curl (https://curl.se/download.html), or check PATH');
  }
}

/** Arguments for which curl reads stdin: `-`, `@-`, `name=<-`, and an upload from it. */
const READS_STDIN = /^(.*[@<])?-$|^-T[-.]$/;
const UNSUPPORTED_PROTOCOL = 1;
/** A loopback address, and not one before a `\\` or `@`, which curl takes for user info. */
const LOOPBACK = /^https?:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?([/?#]|$)/i;

/**
 * Returns the options by which curl itself refuses to send the token unencrypted, however the URL is given.
 * Plain http is only for this machine, and then no proxy gets to see it.
 */
function protocolsFor(args: readonly string[]): string {
  const urls = args.filter((word) => /^https?:/i.test(word));
  const isLocal = urls.length > 0 && urls.every((url) => LOOPBACK.test(url));
  const protocols = isLocal ? 'proto = "=http,https"\nnoproxy = "*"\n' : 'proto = "=https"\n';
  return `proto-default = "https"\n${protocols}`;
}
