import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { leftBehind } from '../../harness/programs/processes';
import { type ProgramResult, runProgram } from '../../harness/programs/program';

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
export async function run(
  args: string,
  env: Record<string, string>,
  wrapper: readonly string[] = [],
): Promise<ProgramResult> {
  const mark = randomUUID();
  const options = { env: { ...SETTINGS, ...env, MARK: mark }, stdin: SECRET, wrapper };
  const result = await runProgram(args.split(' '), options);
  expect(await leftBehind(mark)).toEqual([]);
  expect(result.stdout + result.stderr).not.toContain(SECRET);
  return result;
}

/** The stage lines of doctor's keychain section, as `name: result`. */
export async function doctorStages(env: Record<string, string>, wrapper: readonly string[] = []) {
  const result = await run('doctor --json', env, wrapper);
  const report = JSON.parse(result.stdout) as {
    checks: { section: string; name: string; result: string; message: string }[];
  };
  const stages = report.checks.filter(({ section }) => section === 'keychain');
  return { code: result.code, stages: stages.map(({ name, result: each }) => `${name}: ${each}`), result };
}

export const LOGIN = 'login --client-id eu-client --secret-stdin --no-verify';
