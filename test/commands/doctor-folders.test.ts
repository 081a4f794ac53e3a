/** All that doctor says of the two directories, each in the same state: in this process, of real ones. */
import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { foldersSection } from '../../src/commands/doctor/machine';
import { probeFolder } from '../../src/system/files/trust';
import { MACHINE } from '../harness/homes/client';
import { openFolder } from '../harness/homes/folder';

/** A line each, with what a command fails with for it and its fix below it, and the directory as DIR. */
async function said(path: string | undefined, machine = MACHINE): Promise<string[]> {
  const { checks } = await foldersSection({
    probes: { system: () => '', folder: async (which) => probeFolder(which, path, machine) },
  });
  return checks.map(({ result, kind = '', name, message, hints }) =>
    [`${result}${kind && ` (${kind})`} ${name}: ${message}`, ...hints]
      .join('\n')
      .replaceAll(path ?? 'none', 'DIR'),
  );
}

const HINT = 'tokens are not cached; set GWTOKEN_CACHE_DIR to a directory you own';
const ELSEWHERE = 'login and config set need to write there; set GWTOKEN_CONFIG_DIR to a writable directory';

test.skipIf(process.platform === 'win32').for<[string, (path: string) => void, string, string]>([
  ['that is not there', () => {}, 'ok config: DIR (will be created)', 'ok cache: DIR (will be created)'],
  [
    "that is the user's alone",
    (path) => mkdirSync(path, { mode: 0o700 }),
    'ok config: DIR (mode 700)',
    'ok cache: DIR (mode 700)',
  ],
  [
    'that others can write to',
    (path) => {
      mkdirSync(path);
      chmodSync(path, 0o777);
    },
    "warning config: DIR is writable by other users (mode 777)\nrun: chmod go-w 'DIR'",
    "warning cache: DIR is writable by other users (mode 777); not used\nrun: chmod 700 'DIR'",
  ],
  [
    'that is a link',
    (path) => {
      mkdirSync(`${path}-target`, { mode: 0o700 });
      symlinkSync(`${path}-target`, path);
    },
    'ok config: DIR (mode 700)',
    `warning cache: DIR is a symbolic link; not used\n${HINT}`,
  ],
  [
    'in whose place a file lies',
    (path) => writeFileSync(path, '', { mode: 0o700 }),
    `warning config: DIR is not writable\n${ELSEWHERE}`,
    `warning cache: DIR is not writable\n${HINT}`,
  ],
])('one %s', async ([, make, ...expected]) => {
  const path = join(openFolder(), 'the directory');
  make(path);
  expect(await said(path)).toEqual(expected);
});

test('one of Windows has no mode', async () => {
  expect(await said(openFolder(), { platform: 'win32', uid: undefined })).toEqual([
    'ok config: DIR',
    'ok cache: DIR',
  ]);
});

test("another user's, whether or not it can be written to", async ({ needs }) => {
  needs('root');
  const folder = join(openFolder(), 'it');
  mkdirSync(folder, { mode: 0o700 });
  const file = join(openFolder(), 'it');
  writeFileSync(file, '', { mode: 0o600 });
  for (const path of [folder, file]) {
    chownSync(path, 12_345, 12_345);
    expect(await said(path)).toEqual([
      'warning config: DIR belongs to another user (uid 12345)\nrun gwtoken as that user, or set GWTOKEN_CONFIG_DIR',
      `warning cache: DIR belongs to another user (uid 12345); not used\n${HINT}`,
    ]);
  }
});

test.skipIf(process.platform === 'win32')('none, without a home', async () => {
  expect(await said(undefined)).toEqual([
    'failed (usage) config: no home directory\nset HOME, or GWTOKEN_CONFIG_DIR',
    `warning cache: no home directory\n${HINT}`,
  ]);
});
