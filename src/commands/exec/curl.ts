/** The command `gwtoken curl`: curl with a token's header, which is in no argument, variable or file. */

import { failure, GwtokenError, usage } from '../../errors';
import { tokenFormat } from '../../formats/get';
import { maskToken } from '../../formats/mask';
import { gather } from '../../settings/resolve';
import type { FlagValues } from '../../settings/table';
import { isLoopback } from '../../settings/values';
import type { World } from '../../world';
import { selectedToken } from '../selected-token';
import { childEnvironment, exitCodeOf } from './run';

export async function runCurl(flags: FlagValues, world: World, args: readonly string[]): Promise<number> {
  const [method = ''] = args;
  if (/^(get|post|put|patch|delete|head|options)$/i.test(method))
    throw usage(`${method} is not a URL`, `did you mean: gwtoken curl -X ${method.toUpperCase()} URL`);
  checkUrls(args);
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
  const words = ['-K', isWindows ? '-' : '/dev/fd/3', ...args];
  try {
    return exitCodeOf(await world.runProgram('curl', words, env, header));
  } catch (error) {
    if (!(error instanceof GwtokenError) || error.kind !== 'not-found') throw error;
    throw failure(error.kind, error.message, 'install curl (https://curl.se/download.html), or check PATH');
  }
}

/** Options of curl whose value may begin like a URL, but is not requested. */
const TAKES_TEXT =
  /^(-\w*[AbdeFHux]|--(cookie|data[\w-]*|form[\w-]*|header|json|preproxy|proxy|referer|user-agent))$/;
/** Arguments for which curl reads stdin: `-`, `@-`, `name=<-`, and an upload from it. */
const READS_STDIN = /^(.*[@<])?-$|^-T[-.]$/;

/** Throws a `usage` error for a URL to which the token would go unencrypted. */
function checkUrls(args: readonly string[]): void {
  const urls = args.filter(
    (word, index) => /^https?:/i.test(word) && !TAKES_TEXT.test(args[index - 1] ?? ''),
  );
  // curl takes a URL without a scheme for http:.
  if (urls.length === 0) throw usage('no URL for curl', 'begin the URL with https://');
  const isOpen = (url: string): boolean =>
    /^http:/i.test(url) && !(URL.canParse(url) && isLoopback(new URL(url).hostname));
  if (urls.some(isOpen)) throw usage('the token would be sent unencrypted', 'begin the URL with https://');
}
