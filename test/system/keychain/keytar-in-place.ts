import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect } from 'vitest';
import { openKeychain } from '../../../src/system/keychain/keychain';
import { openHome } from '../../harness/homes/home';
import { leftBehind } from '../../harness/programs/processes';
import { copyProgram } from '../../harness/programs/program-copy';

export const SECRET = 'canary-secret-7fQx';

/** The program with a module of ours in keytar's place, in a home of its own. */
export function programWith(keytar: string | undefined) {
  const copy = copyProgram(keytar);
  const settings = { GWTOKEN_REGION: 'eu', GWTOKEN_AUTH_URL: 'http://127.0.0.1:9', GWTOKEN_RETRIES: '0' };
  // A bus of the user's own, where nobody answers.
  const home = openHome({ ...settings, DBUS_SESSION_BUS_ADDRESS: `unix:path=${copy.dir}` });
  const run = async (args: readonly string[], more: Record<string, string> = {}, stdin = '') => {
    const mark = randomUUID();
    const env = { ...more, MARK: mark };
    const result = await home.gwtoken(args, { env, stdin, program: copy.program });
    if (process.platform === 'linux') expect(await leftBehind(mark)).toEqual([]);
    expect(result.stdout + result.stderr).not.toContain(SECRET);
    return result;
  };
  return { run, home, copy, module: join(copy.dir, 'node_modules', 'keytar') };
}

/** A keychain whose child loads a module of ours in keytar's place, and the folder of that module. */
export function keychainWith(
  keytar: string | undefined,
  world: Partial<Parameters<typeof openKeychain>[0]> = {},
) {
  const { dir, childPath } = copyProgram(keytar);
  const stderr = { isTTY: () => false, write: () => {} };
  const keychain = openKeychain({
    platform: 'darwin',
    env: {},
    stderr,
    uid: process.geteuid?.(),
    childPath,
    ...world,
  });
  return { keychain, module: join(dir, 'node_modules', 'keytar') };
}

/** A module whose every function is this one. */
export const asFunction = (body: string) =>
  `const f = ${body}; module.exports = { getPassword: f, setPassword: f, deletePassword: f };`;
