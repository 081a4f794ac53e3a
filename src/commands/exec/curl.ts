/** The command `gwtoken curl`: curl with a token's header, which is in no argument, variable or file. */

import { type Client, profileFlag, withoutCredentials } from '../../client';
import { usage } from '../../errors';
import { getFormat } from '../../formats/get-formats';
import { gather, resolve } from '../../settings/resolve';
import { type FlagValues, SETTINGS, type SettingSources } from '../../settings/table';
import { note, shellWord } from '../../text';
import type { World } from '../../world';
import { selectedClient, selectedToken } from '../selected-token';
import { codeOrSignal } from './exec';

export async function runCurl(
  flags: FlagValues,
  world: World,
  [first = '', ...rest]: readonly string[],
): Promise<number> {
  const sources = gather(flags, world);
  const args = [first.startsWith('/') ? belowApiUrl(first, sources, world) : first, ...rest];
  const answer = await selectedToken(sources, world);
  const header = getFormat({ format: 'curl' })(answer, world.now());

  const text = { option: '-K', content: header + protocolsFor(args[0]!) };
  const options = { env: withoutCredentials(world.env), text };
  const code = codeOrSignal(await world.runProgram('curl', args, options));
  const hint = hintFor(code, first, rest) ?? caHint(code, rest, answer.query.client, sources);
  if (hint !== undefined) note(world, `hint: ${hint}`);
  return code;
}

/** Returns the URL of a path below the API URL. @throws GwtokenError `usage` if none is set */
function belowApiUrl(path: string, sources: SettingSources, world: World): string {
  const client = selectedClient(sources, world);
  const apiUrl = resolve(SETTINGS.apiUrl, sources, client);
  if (apiUrl) return apiUrl.value + path;
  const profile = profileFlag(client.profile);
  const set = `gwtoken config set api-url.${client.region} https://YOUR-GATEWAY${profile}`;
  throw usage(`no API URL set for ${path}`, `to set it, run: ${set}`, 'or begin the URL with https://');
}

/** Returns the hint for an exit code of curl that gwtoken's rules may have caused. */
function hintFor(code: number, first: string, rest: readonly string[]): string | undefined {
  if (code === UNSUPPORTED_PROTOCOL)
    return "begin the URL with https://, or put a loopback URL before curl's options";
  const isPathLate = !first.includes('/') && rest.some((word) => word.startsWith('/'));
  const isNoUrl = code === INVALID_URL || code === UNKNOWN_HOST;
  if (isNoUrl && (isPathLate || BARE_PATH.test(first)))
    return "a path below the API URL comes first: gwtoken curl /PATH [curl's arguments]";
  return undefined;
}

/** Returns the hint for an untrusted gateway if gwtoken uses a CA file, which curl does not use. */
function caHint(
  code: number,
  rest: readonly string[],
  client: Client,
  sources: SettingSources,
): string | undefined {
  const caFile = resolve(SETTINGS.caFile, sources, client);
  if (code !== UNTRUSTED || !caFile || rest.includes('--cacert')) return undefined;
  return `curl does not use gwtoken's CA file; to use it, add: --cacert ${shellWord(caFile.value)}`;
}

/** Exit codes of curl. curl may read a path such as `/orders` as an invalid URL or as an unknown host. */
const UNSUPPORTED_PROTOCOL = 1;
const INVALID_URL = 3;
const UNKNOWN_HOST = 6;
const UNTRUSTED = 60;

/** Matches a path without its first slash, such as `orders/5`. Most hosts have a dot or a port. */
const BARE_PATH = /^\w[\w-]*([/?]|$)/;

/** Matches a URL of a loopback address. In `http://localhost@a` or `http://localhost\@a` the host is `a`. */
const LOOPBACK = /^http:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?([/?#]|$)/i;

/**
 * Returns options that make curl refuse to send the token unencrypted, in whatever way a URL is given. If the
 * first URL is a loopback one, plain http is allowed without a proxy, also for later URLs, which gwtoken does
 * not read.
 */
function protocolsFor(url: string): string {
  const isLoopback = LOOPBACK.test(url) && URL.canParse(url);
  const protocols = isLoopback ? 'proto = "=http,https"\nnoproxy = "*"\n' : 'proto = "=https"\n';
  return `proto-default = "https"\n${protocols}`;
}
