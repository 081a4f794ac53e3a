/** Proxies as they are installed: the scripted ones stand or fall with what these say. */
import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DEBIAN } from '../../harness/debian.mjs';
import { closedPort, startFaultServer } from '../../harness/endpoints/fault-server';
import { openFolder } from '../../harness/homes/folder';
import { startCommand } from '../../harness/programs/program';
import { reply, SECRET, setScene, TOKEN } from './scene';

const { authority, home } = setScene();
Object.assign(home.env, { GWTOKEN_NO_CACHE: '1', GWTOKEN_CA_FILE: authority.caFile });

/** Starts one in a folder that every user may read, and waits until it listens. */
async function serve(program: string, flags: readonly string[], text: (port: number, dir: string) => string) {
  const [dir, port] = [openFolder(), await closedPort()];
  chmodSync(dir, 0o755);
  writeFileSync(join(dir, 'config'), text(port, dir), { mode: 0o644 });
  const running = startCommand([program, ...flags, join(dir, 'config')], { env: {}, timeoutMs: 120_000 });
  const ended = running.result.then(({ stdout, stderr }) => {
    throw new Error(`${program} ended: ${stdout}${stderr}`);
  });
  // It is killed with the test.
  ended.catch(() => {});
  const listens = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
      socket.on('connect', () => socket.destroy());
    });
  while (!(await Promise.race([listens(), ended]))) await new Promise((resolve) => setTimeout(resolve, 50));
  return port;
}

/** @param lines of its configuration beside the address */
const startTinyproxy = (...lines: readonly string[]) =>
  serve(DEBIAN.tinyproxy, ['-d', '-c'], (port) =>
    [`Port ${port}`, 'Listen 127.0.0.1', 'Timeout 60', ...lines, ''].join('\n'),
  );

/** @param lines of its configuration beside the address; FOLDER in them is one that it can read */
const startSquid = (lines: readonly string[], files: Readonly<Record<string, string>> = {}) =>
  serve(DEBIAN.squid, ['-N', '-f'], (port, dir) => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text, { mode: 0o644 });
    const own = [
      `http_port 127.0.0.1:${port}`,
      'pid_filename none',
      'access_log none',
      'cache_log /dev/null',
    ];
    const quiet = [
      'cache deny all',
      'shutdown_lifetime 0 seconds',
      'netdb_filename none',
      'pinger_enable off',
    ];
    return [...own, ...quiet, ...lines, ''].join('\n').replaceAll('FOLDER', dir);
  });

const PASSWORD = 'canary@proxy';
const ENCODED = 'canary%40proxy';

/** Asks an endpoint through a proxy; neither the proxy's password nor the client's secret is ever said. */
async function throughProxy(port: number, credentials = '') {
  const answer = (socket: import('node:net').Socket) => void socket.write(reply(200));
  const endpoint = await startFaultServer({ answer }, { tls: authority.issue() });
  const args = ['get', '--auth-url', endpoint.url, '--retries', '0'];
  const env = { HTTPS_PROXY: `http://${credentials}127.0.0.1:${port}` };
  const { code, stdout, stderr } = await home.gwtoken(args, { env });
  for (const canary of [SECRET, PASSWORD, ENCODED, 'canary.proxy']) expect(stderr).not.toContain(canary);
  return { code, stdout, stderr, target: new URL(endpoint.url).host, requests: endpoint.requests.length };
}
const FETCHED = { code: 0, stdout: `${TOKEN}\n`, stderr: '', requests: 1 };
const proxy = (port: number) => `the proxy 127.0.0.1:${port} (from HTTPS_PROXY)`;

/** Expects a tunnel for the credentials, and for none or others the sentence of each. */
async function expectBasic(port: number, credentials: string, status: 401 | 407) {
  expect(await throughProxy(port, credentials)).toMatchObject(FETCHED);
  const without = await throughProxy(port);
  expect(without).toMatchObject({ code: 6, stdout: '', requests: 0 });
  expect(without.stderr).toContain(`${proxy(port)} requires a user name and password (407)\n`);
  const wrong = await throughProxy(port, 'gwtoken:other@');
  expect(wrong.stderr).toContain(
    `${proxy(port)} rejected the user name or password in HTTPS_PROXY (${status})\n`,
  );
}

describe('tinyproxy', () => {
  test('tunnels, with a password that it checks', async ({ needs }) => {
    needs('tinyproxy');
    // It knows no password with an @ in it.
    const port = await startTinyproxy('BasicAuth gwtoken canary.proxy');
    // With another one the same server says 401.
    await expectBasic(port, 'gwtoken:canary.proxy@', 401);
  });

  test('refuses a port that it does not allow', async ({ needs }) => {
    needs('tinyproxy');
    const port = await startTinyproxy('ConnectPort 443');
    const { code, stderr, target } = await throughProxy(port);
    expect(code).toBe(6);
    expect(stderr).toContain(`${proxy(port)} refused to connect to ${target} (403)\n`);
  });
});

describe('squid', () => {
  const ALLOW = ['acl known proxy_auth REQUIRED', 'http_access allow known', 'http_access deny all'];
  const basic = ['auth_param basic program /usr/lib/squid/basic_ncsa_auth FOLDER/passwords'];
  const files = () => ({
    passwords: `gwtoken:${execFileSync('openssl', ['passwd', '-apr1', PASSWORD], { encoding: 'utf8' })}`,
  });
  test('takes Basic', async ({ needs }) => {
    needs('squid');
    const port = await startSquid([...basic, ...ALLOW], files());
    await expectBasic(port, `gwtoken:${ENCODED}@`, 407);
  });

  test('cannot reach a target', async ({ needs }) => {
    needs('squid');
    const port = await startSquid(['http_access allow all']);
    const args = ['get', '--auth-url', 'https://127.0.0.1:9', '--retries', '0'];
    const { code, stderr } = await home.gwtoken(args, { env: { HTTPS_PROXY: `http://127.0.0.1:${port}` } });
    expect(code).toBe(6);
    expect(stderr).toContain(`${proxy(port)} could not reach 127.0.0.1:9 (503)\n`);
  });
});
