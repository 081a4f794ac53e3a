import type { Rows } from './row';

const UNLOCK = {
  linux: 'unlock it: log in to the desktop, or in seahorse, KWallet or KeePassXC',
  darwin: 'unlock it (needed once per ssh session): security unlock-keychain',
  win32: 'log in to Windows on the desktop, not only over the network',
};

export const KEYCHAIN_ROWS = {
  'module-missing': () => ['reinstall gwtoken without --omit=optional; npm skips what it cannot fetch'],
  'library-missing': () => ['install libsecret (Debian, Ubuntu: apt-get install libsecret-1-0)'],
  'not-loadable': () => ['for details, add --verbose; if TMPDIR is noexec or full, set another one'],
  'no-session': ({ variable, settings }) => [
    settings?.env['SUDO_USER'] ? "sudo has root's keychain: run gwtoken without sudo" : undefined,
    variable && `${variable} is not of your session: unset it, or log in again`,
  ],
  'no-provider': ({ platform }) =>
    platform === 'darwin'
      ? ['log in to the desktop']
      : ['install and start gnome-keyring, KWallet or KeePassXC'],
  'no-collection': ({ platform }) =>
    platform === 'darwin'
      ? ['set one: security default-keychain -s login.keychain-db']
      : ['log in to the desktop once, or expose a group of a KeePassXC database'],
  locked: ({ platform }) => [UNLOCK[platform as keyof typeof UNLOCK] ?? UNLOCK.linux],
  denied: ({ platform }) =>
    platform === 'darwin'
      ? ['when macOS asks whether node may use the item, choose Always Allow']
      : ['try again, and allow access in the dialog'],
  sandboxed: () => [],
  'timed-out': () => ['answer its dialog, or export GWTOKEN_KEYCHAIN_TIMEOUT=2m'],
  crashed: () => ['try again; if it keeps crashing, reinstall gwtoken'],
  'key-mismatch': () => ['try again'],
  failed: () => [],
} satisfies Partial<Rows>;
