import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { openKeychain } from '../../../src/system/keychain/keychain';
import { inside } from '../../harness/homes/in-process';
import type { Environment } from '../../harness/keyrings/session';
import { leftBehind } from '../../harness/programs/processes';
import {
  inherited,
  PROGRAM,
  type ProgramResult,
  runProgram,
  type Words,
} from '../../harness/programs/program';
import { wireIn } from '../wire/open-wire';

export const CLIENT = 'default:production:eu';
export const SECRET = 'canary-Zq81';
/** The item of CLIENT. Nobody listens at its auth URL, which has the discard port. */
export const ITEM = JSON.stringify({
  client_id: 'eu-client',
  client_secret: SECRET,
  auth_url: 'http://127.0.0.1:9',
});
/** A run that finds its credentials fails to connect to the discard port and exits with 6. */
export const SETTINGS = {
  GWTOKEN_REGION: 'eu',
  GWTOKEN_AUTH_URL: 'http://127.0.0.1:9',
  GWTOKEN_RETRIES: '0',
};

type Ended = Pick<ProgramResult, 'code' | 'stdout' | 'stderr'>;

/**
 * Runs gwtoken's modules in this process, with the package's keychain child, which this process starts. Stdin is
 * SECRET. Fails if a process stays behind or SECRET is printed.
 */
export const run = (args: string, own: Environment): Promise<Ended> =>
  leavingNothing(own, async (env) => {
    const gw = inside();
    Object.assign(gw, { env, stdin: SECRET });
    let notices = '';
    const keychain = openKeychain({
      platform: process.platform,
      env,
      stderr: {
        isTTY: () => false,
        write(text) {
          notices += text;
        },
      },
      uid: process.getuid?.(),
      childPath: join(dirname(PROGRAM), 'keychain-child.cjs'),
      whileReading: () => {},
    });
    gw.own = { keychain, postForm: wireIn(env), monotonicMs: () => performance.now() };
    const { stderr, ...ended } = await gw.cli(args.split(' '));
    return { ...ended, stderr: notices + stderr };
  });

export const runBuilt = (args: string, own: Environment, program: Words): Promise<ProgramResult> =>
  leavingNothing(own, (env) => runProgram(args.split(' '), { env, stdin: SECRET, program }));

async function leavingNothing<T extends Ended>(
  own: Environment,
  start: (env: Record<string, string>) => Promise<T>,
): Promise<T> {
  const mark = randomUUID();
  const result = await start({ ...inherited(), ...SETTINGS, ...own, MARK: mark });
  if (process.platform === 'linux') expect(await leftBehind(mark)).toEqual([]);
  expect(result.stdout + result.stderr).not.toContain(SECRET);
  return result;
}

/** Runs doctor and returns its exit code, and the result and message of its credentials check. */
export async function doctorsKeychain(env: Environment) {
  const { code, stdout } = await run('doctor --json', env);
  const { checks } = JSON.parse(stdout) as { checks: { name: string; result: string; message: string }[] };
  const { result, message } = checks.find(({ name }) => name === 'credentials') ?? {};
  return { code, result, message };
}

export const LOGIN = 'login --client-id eu-client --secret-stdin --no-verify';
