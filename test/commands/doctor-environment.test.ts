/** All that doctor says of the variables about proxies, certificates and TLS: in this process. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { environmentSections } from '../../src/commands/doctor/machine';
import { readLimited } from '../../src/system/files/read-file';
import { openFolder } from '../harness/homes/folder';

/** A line each, with its fix below it. */
async function said(env: Record<string, string>, readFile = readLimited): Promise<string[]> {
  const sections = await environmentSections({ env, readFile });
  return sections
    .flatMap(({ checks }) => checks)
    .map(({ result, name, message, hints }) => [`${result} ${name}: ${message}`, ...hints].join('\n'));
}

test.each([
  ['https_proxy', 'proxy.test:8080', 'proxy.test:8080'],
  ['HTTPS_PROXY', 'http://user:word@proxy.test:8080', 'http://***@proxy.test:8080'],
  ['HTTPS_PROXY', 'user:word@proxy.test:8080', '***@proxy.test:8080'],
  ['HTTPS_PROXY', 'http://user:a@word@proxy.test', 'http://***@proxy.test'],
  ['HTTPS_PROXY', 'HTTP://user:word@proxy.test', 'HTTP://***@proxy.test'],
  // A URL's parser passes over line ends.
  ['HTTPS_PROXY', 'http://user:a\nword@proxy.test', 'http://***@proxy.test'],
  // Whoever forgets the host has the password in its place.
  ['HTTPS_PROXY', 'http://user:word', 'http://***'],
  ['HTTPS_PROXY', 'user:word', '***'],
  ['HTTPS_PROXY', 'user:word/proxy.test', '***'],
  ['HTTPS_PROXY', 'http://user:word@', 'http://***@***'],
  ['HTTPS_PROXY', 'http://[::1]:3128/', 'http://[::1]:3128/'],
  ['no_proxy', 'a.test,b.test', 'a.test,b.test'],
  ['NO_PROXY', '*', '*'],
  ['http_proxy', 'http://user:word@proxy.test', 'http://***@proxy.test (ignored; gwtoken uses HTTPS_PROXY)'],
  ['ALL_PROXY', 'socks5://a:b@proxy.test', 'socks5://***@proxy.test (ignored; gwtoken uses HTTPS_PROXY)'],
  ['NODE_OPTIONS', '--use-openssl-ca', '--use-openssl-ca'],
  ['NODE_TLS_REJECT_UNAUTHORIZED', '1', '1'],
])('%s=%s', async (name, value, shown) => {
  expect(await said({ [name]: value, HOME: '/home/user' })).toEqual([`ok ${name}: ${shown}`]);
});

test('what needs a fix has one, and nothing is said if nothing is set', async () => {
  const folder = openFolder();
  const [there, missing] = ['there.pem', 'missing.pem'].map((name) => join(folder, name));
  // As large as may be.
  writeFileSync(there!, Buffer.alloc(4 * 1024 * 1024));
  expect(
    await said({ NODE_EXTRA_CA_CERTS: there!, SSL_CERT_FILE: missing!, NODE_TLS_REJECT_UNAUTHORIZED: '0' }),
  ).toEqual([
    `ok NODE_EXTRA_CA_CERTS: ${there}`,
    `warning SSL_CERT_FILE: ${missing} cannot be read (ENOENT)\nset SSL_CERT_FILE to a readable PEM file, or unset it`,
    'warning NODE_TLS_REJECT_UNAUTHORIZED: 0 (ignored by gwtoken, but other Node programs skip certificate checks)\nunset NODE_TLS_REJECT_UNAUTHORIZED',
  ]);
  appendFileSync(there!, ' ');
  const fix = 'set NODE_EXTRA_CA_CERTS to a readable PEM file, or unset it';
  expect(await said({ NODE_EXTRA_CA_CERTS: there! })).toEqual([
    `warning NODE_EXTRA_CA_CERTS: ${there} cannot be read (EFBIG)\n${fix}`,
  ]);
  const gone = () => {
    throw new Error('it has gone');
  };
  expect(await said({ NODE_EXTRA_CA_CERTS: there! }, gone)).toEqual([
    `warning NODE_EXTRA_CA_CERTS: ${there} cannot be read (it has gone)\n${fix}`,
  ]);
  expect(await said({ HTTPS_PROXY: '' })).toEqual([]);
  // Other programs' variables.
  for (const name of ['HTTPS_PROXY', 'NO_PROXY', 'HTTP_PROXY', 'ALL_PROXY'])
    expect(await said({ [`npm_config_${name}`]: 'x', [`${name}_USER`]: 'x' })).toEqual([]);
});
