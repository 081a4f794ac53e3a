/** The command `gwtoken curl`. The token's header is in no argument, variable or named file. */
import { profileFlag } from '../../client';
import { withoutCredentials } from '../../credentials/sources';
import { EXIT_CODES, usage } from '../../errors';
import { getFormat } from '../../formats/get-formats';
import { OMIT_COMMENT } from '../../hints/steps';
import { note } from '../../note';
import type { FlagValues, Settings } from '../../settings/table';
import { isLoopback } from '../../settings/values';
import type { World } from '../../world';
import { readSettings, selectedToken } from '../selected-token';
import { isOption, readCurlWords } from './curl-words';
import { codeOrSignal } from './exec';

export async function runCurl(flags: FlagValues, world: World, words: readonly string[]): Promise<number> {
  if (words.includes('#')) throw usage('curl takes no "#"', [OMIT_COMMENT]);
  const help = words.some(isOption) ? await world.programOutput('curl', ['--help', 'all']) : '';
  const { targets, mayHideUrl, misplaced } = readCurlWords(words, help);
  if (misplaced.length > 0) {
    note(world, `error: gwtoken's options stand before curl's: ${misplaced.join(', ')}`);
    // curl, too, ends with 2 if an option is unknown. A thrown error would end with 125.
    return EXIT_CODES.usage;
  }

  const settings = readSettings(flags, world);
  const pathAt = targets.find((at) => PATH.test(words[at]!));
  const args = pathAt === undefined ? words : words.with(pathAt, belowApiUrl(words[pathAt]!, settings));
  const urls = targets.map((at) => args[at]!);
  const answer = await selectedToken(settings, world);
  const header = getFormat({ format: 'curl' })(answer, world.now());
  // curl ignores its own config file only if its first argument begins with -q.
  const option = /^(-q|--disable$)/.test(args[0]!) ? '-qK' : '-K';
  const text = { option, content: header + protocolsFor(urls, mayHideUrl) };
  const options = { env: withoutCredentials(world.env), isOurs: true, text };
  const code = codeOrSignal(await world.runProgram('curl', args, options));
  if (code !== 0) hintAtGitBash(urls, world);
  return code;
}

const PATH = /^\/(?!\/)/;

/** Git Bash changes the path /orders to `C:/Program Files/Git/orders`. */
function hintAtGitBash(urls: readonly string[], world: World): void {
  if (world.env['MSYSTEM'] !== undefined && urls.some((url) => /^[a-z]:\//i.test(url)))
    note(world, 'hint: Git Bash changes words that begin with /: set MSYS_NO_PATHCONV=1, or type //PATH');
}

/** Returns the URL of a path below the API URL. @throws GwtokenError `usage` if none is set */
function belowApiUrl(path: string, { client, apiUrl }: Settings): string {
  if (apiUrl) return apiUrl.value + path;
  const { region, profile } = client;
  throw usage(`no API URL set for ${path}`, [
    `to set it, run: gwtoken config set api-url.${region} https://YOUR-GATEWAY${profileFlag(profile)}`,
    'or begin the URL with https://',
  ]);
}

/**
 * Returns options that make curl refuse to send the token unencrypted, in whatever way a URL is given. If all
 * targets are loopback URLs, plain http is allowed without a proxy.
 */
function protocolsFor(urls: readonly string[], mayHideUrl: boolean): string {
  const isLocal = urls.length > 0 && !mayHideUrl && urls.every(isLoopbackUrl);
  const protocols = isLocal ? 'proto = "=http,https"\nnoproxy = "*"\n' : 'proto = "=https"\n';
  return `proto-default = "https"\n${protocols}`;
}

/**
 * Returns whether curl reads a single http URL of a loopback address. In `http://localhost@a` or
 * `http://localhost\@a` the host is `a`, and curl may expand braces and brackets to other URLs.
 */
function isLoopbackUrl(url: string): boolean {
  const [, host = ''] = /^http:\/\/([\w.]+|\[::1\])(?::\d+)?(?:[/?#][^{}[\]]*)?$/i.exec(url) ?? [];
  return isLoopback(host.toLowerCase()) && URL.canParse(url);
}
