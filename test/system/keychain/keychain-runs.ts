import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Environment } from '../../harness/keyrings/session';
import { leftBehind } from '../../harness/programs/processes';
import { type ProgramResult, runProgram, type Words } from '../../harness/programs/program';

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

/** Runs gwtoken; fails if a process of it stays behind or the secret is printed. */
export async function run(args: string, own: Environment, program?: Words): Promise<ProgramResult> {
  const mark = randomUUID();
  const env = { ...SETTINGS, ...own, MARK: mark };
  const result = await runProgram(args.split(' '), { env, stdin: SECRET, ...(program && { program }) });
  if (process.platform === 'linux') expect(await leftBehind(mark)).toEqual([]);
  expect(result.stdout + result.stderr).not.toContain(SECRET);
  return result;
}

/** Runs doctor and returns its exit code, and the result and message of its keychain check. */
export async function doctorsKeychain(env: Record<string, string>) {
  const { code, stdout } = await run('doctor --json', env);
  const { checks } = JSON.parse(stdout) as {
    checks: { name: string; result: string; message: string }[];
  };
  const { result, message } = checks.find(({ name }) => name === 'keychain') ?? {};
  return { code, result, message };
}

export const LOGIN = 'login --client-id eu-client --secret-stdin --no-verify';
