import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { DEBIAN, KWALLET } from './debian.mjs';
import { FORM } from './programs/program';

declare module 'vitest' {
  interface TestContext {
    /** Leaves the test out if one of these is missing here: a {@link Need}, or a reason found elsewhere. */
    needs(...needs: readonly (Need | Reason)[]): void;
  }
}

/** The reason a test is left out; undefined if none. `npm run test:setup` installs "needs Debian: …". */
export type Reason = `needs ${string}` | undefined;
export type Need = keyof typeof PLACES | keyof typeof PACKAGES | DebianPackage;
type DebianPackage = keyof typeof DEBIAN;

const PLACES = {
  posix: () => process.platform === 'win32' && 'needs POSIX',
  linux: () => process.platform !== 'linux' && 'needs Linux',
  /** On Linux. */
  root: () => (process.platform !== 'linux' || process.getuid?.() !== 0) && 'needs root on Linux',
  /** A mount namespace of its own: root is not enough in a container. */
  namespace: () =>
    spawnSync('unshare', ['--mount', 'true']).status !== 0 &&
    'needs root on Linux with a mount namespace of its own',
  /** For what is the Node's that runs the npm package. */
  package: () => FORM !== 'package' && 'needs the npm package',
} satisfies Record<string, () => false | Reason>;

const BUS = ['dbus-daemon', 'dbus-bin', 'libsecret-tools'] as const;
const SCREEN = ['xvfb', 'xdotool'] as const;
/** What is made of several of Debian's packages, and runs on Linux only. */
const PACKAGES = {
  keyring: ['gnome-keyring', ...BUS],
  KeePassXC: ['keepassxc', ...BUS, ...SCREEN],
  KWallet: [...(Object.keys(KWALLET) as DebianPackage[]), ...BUS, ...SCREEN],
} satisfies Record<string, readonly DebianPackage[]>;

/** Tells the first thing that is missing here. */
export function missing(...needs: readonly (Need | Reason)[]): Reason {
  return needs.map(missingOne).find((reason) => reason !== undefined);
}

function missingOne(need: Need | Reason): Reason {
  if (need === undefined || need.startsWith('needs ')) return need as Reason;
  if (need in PLACES) return PLACES[need as keyof typeof PLACES]() || undefined;
  if (!(need in PACKAGES)) return missingPackages([need as DebianPackage]);
  return missing('linux') ?? missingPackages(PACKAGES[need as keyof typeof PACKAGES]);
}

function missingPackages(packages: readonly DebianPackage[]): Reason {
  // Programs are started by their names, but for those of the system's own directories.
  const isThere = (path: string) =>
    path.includes('/bin/') ? onPath(basename(path)) !== undefined : existsSync(path);
  const absent = packages.filter((name) => !isThere(DEBIAN[name]));
  return absent.length === 0 ? undefined : `needs Debian: ${absent.join(', ')}`;
}

export function onPath(program: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((directory) => join(directory, program))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
