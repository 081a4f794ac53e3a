/** What doctor says of a directory, each in the same states, and of variables that only look like gwtoken's. */
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { directoryCheck, variableChecks } from '../../src/commands/doctor/machine';
import { probeFolder } from '../../src/system/files/trust';
import type { World } from '../../src/world';
import { MACHINE } from '../harness/homes/client';
import { openFolder } from '../harness/homes/folder';

describe.skipIf(process.platform === 'win32')('doctor says of a directory', () => {
  /** What it says of the config's and of the cache's directory in this place, with the hint behind it. */
  async function said(path: string | undefined): Promise<string[]> {
    const probes = { folder: async (which: 'config' | 'cache') => probeFolder(which, path, MACHINE) };
    const checks = [
      await directoryCheck('config', { probes } as World),
      await directoryCheck('cache', { probes } as World),
    ];
    return checks.map(({ result, name, message, hints }) =>
      [`${result} ${name}: ${message}`, ...hints].join('; ').replaceAll(path ?? 'none', 'DIR'),
    );
  }
  const SET_CONFIG = 'set GWTOKEN_CONFIG_DIR to a directory of yours';
  const SET_CACHE = 'set GWTOKEN_CACHE_DIR to a directory of yours';

  test.for<[string, (path: string) => void, config: string, cache: string]>([
    [
      'that is not there',
      () => {},
      'ok config directory: DIR (will be created)',
      'ok cache directory: DIR (will be created)',
    ],
    [
      'that others can write to',
      (path) => {
        mkdirSync(path);
        chmodSync(path, 0o777);
      },
      "warning config directory: DIR is writable by other users (mode 777); run: chmod go-w 'DIR'",
      "warning cache directory: DIR is writable by other users (mode 777); run: chmod go-w 'DIR'",
    ],
    [
      'that is a link',
      (path) => {
        mkdirSync(`${path}-target`, { mode: 0o700 });
        symlinkSync(`${path}-target`, path);
      },
      'ok config directory: DIR',
      `warning cache directory: DIR is a symbolic link; ${SET_CACHE}`,
    ],
  ])('%s', async ([, make, ...expected]) => {
    const path = join(openFolder(), 'the directory');
    make(path);
    expect(await said(path)).toEqual(expected);
  });

  test('that there is none without a home', async () => {
    expect(await said(undefined)).toEqual([
      `warning config directory: no home directory; ${SET_CONFIG}`,
      `warning cache directory: no home directory; ${SET_CACHE}`,
    ]);
  });
});

test('doctor names variables that look like gwtoken’s, and the ones that were meant', () => {
  const right = { GWTOKEN_REGION: 'eu', EU_ACCESS_TOKEN: 'x', GWTOKEN_SCOPE: 'x', GWTOKEN_EMPTY: '' };
  const shown = (env: Record<string, string>) =>
    variableChecks({ env }).map(({ result, message, hints }) => [result, message, ...hints]);
  expect(shown(right)).toEqual([['ok', 'no misspelled ones']]);
  expect(shown({ ...right, GWTOKEN_REGOIN: 'us', GW_TOKEN_XYZ: '1' })).toEqual([
    ['warning', 'GWTOKEN_REGOIN: gwtoken reads no variable of this name', 'did you mean: GWTOKEN_REGION'],
    ['warning', 'GW_TOKEN_XYZ: gwtoken reads no variable of this name'],
  ]);
});
