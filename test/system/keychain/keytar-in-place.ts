import { join } from 'node:path';
import { openKeychain } from '../../../src/system/keychain/keychain';
import { openHome } from '../../harness/homes/home';
import type { ProgramResult } from '../../harness/programs/program';
import { copyProgram } from '../../harness/programs/program-copy';
import { run } from './keychain-runs';

/** Runs the program with a module of ours in keytar's place, in a home of its own. */
export async function runWith(keytar: string, args: string): Promise<ProgramResult> {
  const { dir, program } = copyProgram(keytar);
  // A bus of the user's own, where nobody answers.
  const { env } = openHome({ DBUS_SESSION_BUS_ADDRESS: `unix:path=${dir}` });
  return await run(args, env, program);
}

/** A keychain whose child loads a module of ours in keytar's place, and the directory of that module. */
export function keychainWith(
  keytar: string | undefined,
  world: Partial<Parameters<typeof openKeychain>[0]> = {},
) {
  const { dir, childPath } = copyProgram(keytar);
  const stderr = { isTTY: () => false, write: () => {} };
  const uid = process.geteuid?.();
  const keychain = openKeychain({ platform: 'darwin', env: {}, stderr, uid, childPath, ...world });
  return { keychain, module: join(dir, 'node_modules', 'keytar') };
}

/** A module whose every function is this one. */
export const asFunction = (body: string) =>
  `const f = ${body}; module.exports = { getPassword: f, setPassword: f, deletePassword: f };`;
