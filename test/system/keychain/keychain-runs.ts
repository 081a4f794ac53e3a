import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Environment } from '../../harness/keyrings/session';
import { leftBehind } from '../../harness/programs/processes';
import { type ProgramResult, runProgram, type Words } from '../../harness/programs/program';

/** What the keyrings of these tests hold: bound to the discard port, on which nobody listens. */
export const CLIENT = 'default:production:eu';
export const SECRET = 'canary-Zq81';
export const ITEM = JSON.stringify({
  client_id: 'eu-client',
  client_secret: SECRET,
  auth_url: 'http://127.0.0.1:9',
});
/** A run that has its credentials comes as far as the discard port, and ends with 6. */
export const SETTINGS = {
  GWTOKEN_REGION: 'eu',
  GWTOKEN_AUTH_URL: 'http://127.0.0.1:9',
  GWTOKEN_RETRIES: '0',
};

/** Runs it, and looks whether any process of it is left. */
export async function run(args: string, own: Environment, program?: Words): Promise<ProgramResult> {
  const mark = randomUUID();
  const env = { ...SETTINGS, ...own, MARK: mark };
  const result = await runProgram(args.split(' '), { env, stdin: SECRET, ...(program && { program }) });
  if (process.platform === 'linux') expect(await leftBehind(mark)).toEqual([]);
  expect(result.stdout + result.stderr).not.toContain(SECRET);
  return result;
}

/** Doctor's check of the keychain: its result, and its message. */
export async function doctorsKeychain(env: Record<string, string>) {
  const { code, stdout } = await run('doctor --json', env);
  const { checks } = JSON.parse(stdout) as {
    checks: { name: string; result: string; message: string }[];
  };
  const { result, message } = checks.find(({ name }) => name === 'keychain') ?? {};
  return { code, result, message };
}

export const LOGIN = 'login --client-id eu-client --secret-stdin --no-verify';
