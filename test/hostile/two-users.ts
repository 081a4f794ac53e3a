/** Two users of one machine, played by root: a victim whose gwtoken runs, and a stranger up to no good. */
import { chmodSync, chownSync, copyFileSync, cpSync, linkSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openFolder } from '../harness/homes/folder';
import { type Home, openHome } from '../harness/homes/home';
import { missing, type Reason } from '../harness/needs';
import { executable, FORM, runCommand, type Words } from '../harness/programs/program';
import { ROOT } from '../harness/root';

/** No account has them. */
export const VICTIM = 64_001;
export const STRANGER = 64_002;

/** Why the tests are left out. */
export function lacking(): Reason {
  return missing('root') ?? (isPublic(process.execPath) ? undefined : 'needs a Node that every user may run');
}

function isPublic(path: string): boolean {
  const above = dirname(path);
  return (statSync(path).mode & 0o001) !== 0 && (path === above || isPublic(above));
}

const as = (uid: number): string[] => ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', '--'];

/** The program where every user can run it: the clone may lie in root's own home. */
function publicProgram(): Words {
  const dir = openFolder();
  chmodSync(dir, 0o755);
  if (FORM === 'package') {
    cpSync(join(ROOT, 'dist'), join(dir, 'dist'), { recursive: true });
    return [process.execPath, join(dir, 'dist', 'gwtoken.cjs')];
  }
  const file = join(dir, 'gwtoken');
  try {
    linkSync(executable(), file);
  } catch {
    copyFileSync(executable(), file);
  }
  return [file];
}

/** Opens the victim's home, which all may look into, as on many systems; gwtoken runs as the victim. */
export function openVictim(env: Readonly<Record<string, string>>): Home {
  const home = openHome(env);
  const more = { wrapper: as(VICTIM), program: publicProgram() };
  chmodSync(home.dir, 0o755);
  chmodSync(home.env['HOME']!, 0o755);
  for (const path of [home.dir, home.env['HOME']!]) chownSync(path, VICTIM, VICTIM);
  return {
    ...home,
    gwtoken: (args, options) => home.gwtoken(args, { cwd: home.dir, ...more, ...options }),
    start: (args, options) => home.start(args, { cwd: home.dir, ...more, ...options }),
  };
}

/** Runs a script of the stranger's, which gets `input` as its variable; gives what that tells by `tell`. */
export async function stranger<T>(script: string, input: unknown = null): Promise<T> {
  const text = `const input = ${JSON.stringify(input)};
    const fs = require('node:fs'), { join } = require('node:path');
    const tell = (answer) => fs.writeSync(1, JSON.stringify(answer));
    const attempt = (work) => { try { work(); return 'done'; } catch (error) { return error.code ?? String(error); } };
    ${script}`;
  const words = [...as(STRANGER), process.execPath, '-e', text];
  const { stdout } = await runCommand(words, { env: {}, cwd: '/' });
  return JSON.parse(stdout) as T;
}
