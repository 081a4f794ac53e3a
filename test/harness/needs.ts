import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { DEBIAN, KWALLET } from './debian.mjs';
import { FORM } from './programs/program';

declare module 'vitest' {
  interface TestContext {
    /** Skips the test if this machine lacks a {@link Need}, or if an argument is a reason to skip it. */
    needs(...needs: readonly (Need | Reason)[]): void;
  }
}

/** The reason to skip a test; undefined if it can run. `npm run test:setup` installs "needs Debian: …". */
export type Reason = `needs ${string}` | undefined;
export type Need = keyof typeof PLACES | keyof typeof PACKAGES | DebianPackage;
type DebianPackage = keyof typeof DEBIAN;

const PLACES = {
  posix: () => process.platform === 'win32' && 'needs POSIX',
  linux: () => process.platform !== 'linux' && 'needs Linux',
  /** Root on Linux. */
  root: () => (process.platform !== 'linux' || process.getuid?.() !== 0) && 'needs root on Linux',
  /** A separate mount namespace, for which root is not enough in a container. */
  namespace: () =>
    spawnSync('unshare', ['--mount', 'true']).status !== 0 &&
    'needs root on Linux with a separate mount namespace',
  /** The address ::1, which a container may lack. */
  ipv6: () =>
    Object.values(networkInterfaces()).every((all) => all?.every(({ address }) => address !== '::1')) &&
    'needs IPv6',
  /** The npm package, for tests of the Node that runs it. */
  package: () => FORM !== 'package' && 'needs the npm package',
} satisfies Record<string, () => false | Reason>;

const BUS = ['dbus-daemon', 'dbus-bin', 'libsecret-tools'] as const;
const SCREEN = ['xvfb', 'xdotool'] as const;
/** Needs that consist of several Debian packages. They run only on Linux. */
const PACKAGES = {
  keyring: ['gnome-keyring', ...BUS],
  KeePassXC: ['keepassxc', ...BUS, ...SCREEN],
  KWallet: [...(Object.keys(KWALLET) as DebianPackage[]), ...BUS, ...SCREEN],
} satisfies Record<string, readonly DebianPackage[]>;

/** Returns the reason for the first need that this machine lacks. */
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
  // Programs in /bin directories are started by name, so they may be anywhere on PATH.
  const isInstalled = (path: string) =>
    path.includes('/bin/') ? onPath(basename(path)) !== undefined : existsSync(path);
  const absent = packages.filter((name) => !isInstalled(DEBIAN[name]));
  return absent.length === 0 ? undefined : `needs Debian: ${absent.join(', ')}`;
}

/** Returns the first executable file with this name in the directories of PATH. */
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
