/** Doctor's checks of the two directories, each in the same state, and of the variables: of real ones. */
import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Check } from '../../src/commands/doctor/check';
import { environmentSections, foldersSection } from '../../src/commands/doctor/machine';
import { readLimited } from '../../src/system/files/read-file';
import { probeFolder } from '../../src/system/files/trust';
import { MACHINE } from '../harness/homes/client';
import { openFolder } from '../harness/homes/folder';

/** A line each check, with what a command fails with for it and its hints below it. */
const lines = (checks: readonly Check[]): string[] =>
  checks.map(({ result, kind = '', name, message, hints }) =>
    [`${result}${kind && ` (${kind})`} ${name}: ${message}`, ...hints].join('\n'),
  );

describe.skipIf(process.platform === 'win32')('doctor says of a directory', () => {
  async function said(path: string | undefined, machine = MACHINE): Promise<string[]> {
    const { checks } = await foldersSection({
      probes: { system: () => '', folder: async (which) => probeFolder(which, path, machine) },
    });
    return lines(checks).map((line) => line.replaceAll(path ?? 'none', 'DIR'));
  }

  const HINT = 'tokens are not cached; set GWTOKEN_CACHE_DIR to a directory you own';
  const ELSEWHERE =
    'login and config set need to write there; set GWTOKEN_CONFIG_DIR to a writable directory';

  test.for<[string, (path: string) => void, config: string, cache: string]>([
    ['that is not there', () => {}, 'ok config: DIR (will be created)', 'ok cache: DIR (will be created)'],
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
  ])('%s', async ([, make, ...expected]) => {
    const path = join(openFolder(), 'the directory');
    make(path);
    expect(await said(path)).toEqual(expected);
  });

  test('without modes, and that there is none without a home', async () => {
    const windows = { platform: 'win32', uid: undefined } as const;
    expect(await said(openFolder(), windows)).toEqual(['ok config: DIR', 'ok cache: DIR']);
    expect(await said(undefined)).toEqual([
      'warning config: no home directory\nset HOME, or GWTOKEN_CONFIG_DIR',
      `warning cache: no home directory\n${HINT}`,
    ]);
  });

  test('of another user', async ({ needs }) => {
    needs('root');
    const folder = openFolder();
    chownSync(folder, 12_345, 12_345);
    expect(await said(folder)).toEqual([
      'warning config: DIR belongs to another user (uid 12345)\nrun gwtoken as that user, or set GWTOKEN_CONFIG_DIR',
      `warning cache: DIR belongs to another user (uid 12345); not used\n${HINT}`,
    ]);
  });
});

describe('doctor says of the variables', () => {
  const said = async (env: Record<string, string>): Promise<string[]> =>
    (await environmentSections({ env, readFile: readLimited })).flatMap(({ checks }) => lines(checks));

  test.each([
    ['https_proxy', 'proxy.test:8080', 'proxy.test:8080'],
    // A URL's parser passes over line ends.
    ['HTTPS_PROXY', 'HTTP://user:a@b\nword@proxy.test', 'HTTP://***@proxy.test'],
    ['HTTPS_PROXY', 'user:word@proxy.test:8080', '***@proxy.test:8080'],
    // Whoever forgets the host has the password in its place.
    ['HTTPS_PROXY', 'http://user:word', 'http://***'],
    ['HTTPS_PROXY', 'user:word/proxy.test', '***'],
    ['HTTPS_PROXY', 'http://user:word@', 'http://***@***'],
    ['HTTPS_PROXY', 'http://[::1]:3128/', 'http://[::1]:3128/'],
    ['no_proxy', 'a.test,b.test', 'a.test,b.test'],
    ['ALL_PROXY', 'socks5://a:b@proxy.test', 'socks5://***@proxy.test (ignored; gwtoken uses HTTPS_PROXY)'],
    ['NODE_OPTIONS', '--use-openssl-ca', '--use-openssl-ca'],
    ['NODE_TLS_REJECT_UNAUTHORIZED', '1', '1'],
  ])('%s=%s', async (name, value, shown) => {
    // Those of other programs, and empty ones, are not told.
    const env = { HOME: '/home/user', [`npm_config_${name}`]: 'x', [`${name}_USER`]: 'x', NO_PROXY: '' };
    expect(await said({ ...env, [name]: value })).toEqual([`ok ${name}: ${shown}`]);
  });

  test('what needs a fix, with the fix', async () => {
    const there = join(openFolder(), 'there.pem');
    writeFileSync(there, '');
    const env = {
      NODE_EXTRA_CA_CERTS: there,
      SSL_CERT_FILE: `${there}.not`,
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
    };
    expect(await said(env)).toEqual([
      `ok NODE_EXTRA_CA_CERTS: ${there}`,
      `warning SSL_CERT_FILE: ${there}.not cannot be read (ENOENT)\nset SSL_CERT_FILE to a readable PEM file, or unset it`,
      'warning NODE_TLS_REJECT_UNAUTHORIZED: 0 (ignored by gwtoken, but other Node programs skip certificate checks)\nunset NODE_TLS_REJECT_UNAUTHORIZED',
    ]);
  });
});
