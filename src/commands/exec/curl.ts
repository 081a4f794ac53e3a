/** The command `gwtoken curl`: curl with a token's header, which is in no argument, variable or file. */

import { failure, GwtokenError, usage } from '../../errors';
import { tokenFormat } from '../../formats/get';
import { maskToken } from '../../formats/mask';
import { gather } from '../../settings/resolve';
import type { FlagValues } from '../../settings/table';
import type { ChildEnd, Env, World } from '../../world';
import { selectedToken } from '../selected-token';
import { childEnvironment, exitCodeOf } from './run';

export async function runCurl(flags: FlagValues, world: World, args: readonly string[]): Promise<number> {
  const [method = ''] = args;
  if (/^(get|post|put|patch|delete|head|options)$/i.test(method))
    throw usage(`${method} is not a URL`, `did you mean: gwtoken curl -X ${method.toUpperCase()} URL`);
  const isWindows = world.platform === 'win32';
  if (isWindows && args.some((word) => READS_STDIN.test(word)))
    throw usage(
      'curl cannot read stdin on Windows: gwtoken passes it the header there',
      'use a file instead',
    );
  const answer = await selectedToken(gather(flags, world), world);
  maskToken(answer.token.accessToken, world);
  const header = tokenFormat({ format: 'curl' })(answer, world.now(), () => false);

  const env = childEnvironment(world.env, [], world.platform);
  // curl heeds -q only as its first argument.
  const quiet = /^(-q|--disable$)/.test(args[0] ?? '') ? ['-q'] : [];
  const words = [...quiet, '-K', isWindows ? '-' : '/dev/fd/3', ...args];
  const code = exitCodeOf(await runCurlItself(words, env, header + protocolsFor(args), world));
  if (code === UNSUPPORTED_PROTOCOL && args.some((word) => /^http:/i.test(word)))
    world.stderr.write('gwtoken: hint: the token is sent over https only: begin the URL with https://\n');
  return code;
}

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
 * Returns the options by which curl itself refuses to send the token unencrypted, however the URL is given. Plain http
 * is only for this machine, and then no proxy gets to see it.
 */
function protocolsFor(args: readonly string[]): string {
  const urls = args.filter((word) => /^https?:/i.test(word));
  const isLocal = urls.length > 0 && urls.every((url) => LOOPBACK.test(url));
  const protocols = isLocal ? 'proto = "=http,https"\nnoproxy = "*"\n' : 'proto = "=https"\n';
  return `proto-default = "https"\n${protocols}`;
}
