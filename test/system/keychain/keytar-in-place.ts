import { join } from 'node:path';
import { openKeychain } from '../../../src/system/keychain/keychain';
import { openHome } from '../../harness/homes/home';
import type { ProgramResult } from '../../harness/programs/program';
import { copyChild, copyProgram } from '../../harness/programs/program-copy';
import { runBuilt } from './keychain-runs';

/** Runs gwtoken in a new home with the test's module in place of keytar. */
export async function runWith(keytar: string, args: string): Promise<ProgramResult> {
  const { dir, program } = copyProgram(keytar);
  // The bus address belongs to the user, but nobody answers there.
  const { env } = openHome({ DBUS_SESSION_BUS_ADDRESS: `unix:path=${dir}` });
  return await runBuilt(args, env, program);
}

/** Returns a keychain whose child loads the test's module in place of keytar, and that module's directory. */
export function keychainWith(
  keytar: string | undefined,
  world: Partial<Parameters<typeof openKeychain>[0]> = {},
) {
  const { dir, childPath } = copyChild(keytar);
  const stderr = { isTTY: () => false, write: () => {} };
  const uid = process.geteuid?.();
  const keychain = openKeychain({
    platform: 'darwin',
    env: {},
    stderr,
    uid,
    childPath,
    whileReading: () => {},
    ...world,
  });
  return { keychain, module: join(dir, 'node_modules', 'keytar') };
}

/** Returns the source of a module whose functions all have this body. */
export const asFunction = (body: string) =>
  `const f = ${body}; module.exports = { getPassword: f, setPassword: f, deletePassword: f };`;
