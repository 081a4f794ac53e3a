/** Real proxies from Debian, which the scripted ones of other tests imitate. */
import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { onCleanup } from '../../harness/clean-up';
import { DEBIAN } from '../../harness/debian.mjs';
import { closedPort, startFaultServer } from '../../harness/endpoints/fault-server';
import { openDirectory } from '../../harness/homes/directory';
import { until } from '../../harness/programs/processes';
import { startCommand } from '../../harness/programs/program';
import { authorityAndHome, SECRET, SENDS_TOKEN, TOKEN } from './scene';

const { authority, home } = authorityAndHome();
Object.assign(home.env, { GWTOKEN_NO_CACHE: '1', GWTOKEN_CA_FILE: authority.caFile });

/** Starts squid with these lines of configuration. FOLDER in a line becomes the directory of the files. */
async function startSquid(lines: readonly string[], files: Readonly<Record<string, string>> = {}) {
  const [dir, port] = [openDirectory(), await closedPort()];
  chmodSync(dir, 0o755);
  const own = [
    `http_port 127.0.0.1:${port}`,
    ...['pid_filename none', 'access_log none', 'cache_log /dev/null', 'cache deny all'],
    ...['shutdown_lifetime 0 seconds', 'netdb_filename none', 'pinger_enable off'],
  ];
  const config = [...own, ...lines, ''].join('\n').replaceAll('FOLDER', dir);
  for (const [name, text] of Object.entries({ ...files, config }))
    writeFileSync(join(dir, name), text, { mode: 0o644 });
  const words = [DEBIAN.squid, '-N', '-f', join(dir, 'config')];
  const squid = startCommand(words, { env: {}, timeoutMs: 120_000 });
  const ended = squid.result.then(({ stdout, stderr }) => {
    throw new Error(`squid ended: ${stdout}${stderr}`);
  });
  // SIGKILL would leave squid's files in /dev/shm behind. That squid ends here is no error.
  onCleanup(async () => {
    squid.kill('SIGTERM');
    await ended.catch(() => {});
  });
  const listens = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
      socket.on('connect', () => socket.destroy());
    });
  await until('squid listens', () => Promise.race([listens(), ended]));
  return port;
}

const PASSWORD = 'canary@proxy';
const ENCODED = 'canary%40proxy';

/** Requests a token through a proxy. Checks that stderr has neither the proxy's password nor the secret. */
async function throughProxy(port: number, credentials = '') {
  const endpoint = await startFaultServer(SENDS_TOKEN, { tls: authority.issue() });
  const args = ['get', '--auth-url', endpoint.url, '--retries', '0'];
  const env = { HTTPS_PROXY: `http://${credentials}127.0.0.1:${port}` };
  const { code, stdout, stderr } = await home.gwtoken(args, { env });
  for (const canary of [SECRET, PASSWORD, ENCODED]) expect(stderr).not.toContain(canary);
  return { code, stdout, stderr, requests: endpoint.requests.length };
}
const FETCHED = { code: 0, stdout: `${TOKEN}\n`, stderr: '', requests: 1 };
const proxy = (port: number) => `the proxy 127.0.0.1:${port} (from HTTPS_PROXY)`;

test('get uses squid with the right password, and reports a missing or wrong one', async ({ needs }) => {
  needs('squid');
  const passwords = `gwtoken:${execFileSync('openssl', ['passwd', '-apr1', PASSWORD], { encoding: 'utf8' })}`;
  const rules = ['acl known proxy_auth REQUIRED', 'http_access allow known', 'http_access deny all'];
  const checks = 'auth_param basic program /usr/lib/squid/basic_ncsa_auth FOLDER/passwords';
  const port = await startSquid([checks, ...rules], { passwords });
  expect(await throughProxy(port, `gwtoken:${ENCODED}@`)).toMatchObject(FETCHED);
  const without = await throughProxy(port);
  expect(without).toMatchObject({ code: 6, stdout: '', requests: 0 });
  expect(without.stderr).toContain(`${proxy(port)} requires a user name and password (407)\n`);
  const { stderr } = await throughProxy(port, 'gwtoken:other@');
  expect(stderr).toContain(`${proxy(port)} rejected the user name or password in HTTPS_PROXY (407)\n`);
});

test('doctor reports that squid refuses the endpoint', async ({ needs }) => {
  needs('squid');
  const port = await startSquid(['http_access deny all']);
  const args = ['doctor', '--auth-url', 'https://127.0.0.1:9', '--retries', '0'];
  const { code, stdout } = await home.gwtoken(args, { env: { HTTPS_PROXY: `http://127.0.0.1:${port}` } });
  expect(code).toBe(6);
  expect(stdout).toMatch(
    /\nFAIL request +the proxy \S+ \(from HTTPS_PROXY\) refused to connect to \S+ \(403\)\n/,
  );
});

test('get reports that squid cannot reach the endpoint', async ({ needs }) => {
  needs('squid');
  const port = await startSquid(['http_access allow all']);
  const args = ['get', '--auth-url', 'https://127.0.0.1:9', '--retries', '0'];
  const { code, stderr } = await home.gwtoken(args, { env: { HTTPS_PROXY: `http://127.0.0.1:${port}` } });
  expect(code).toBe(6);
  expect(stderr).toContain(`${proxy(port)} could not reach 127.0.0.1:9 (503)\n`);
});
