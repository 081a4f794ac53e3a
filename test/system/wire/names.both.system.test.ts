/** Names and addresses in the built program: silent DNS, an unreachable first address, IPv6. */
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startDns } from '../../harness/endpoints/dns-server';
import { startBlackHole, startFaultServer } from '../../harness/endpoints/fault-server';
import { FORM, GWTOKEN } from '../../harness/programs/program';
import { authorityAndHome, SENDS_TOKEN, TOKEN } from './scene';

const { authority, home } = authorityAndHome();
Object.assign(home.env, { GWTOKEN_NO_CACHE: '1', GWTOKEN_CA_FILE: authority.caFile, GWTOKEN_RETRIES: '0' });

/** Runs gwtoken with its own /etc/hosts and /etc/resolv.conf, in a mount namespace. */
function runWithFiles(
  files: { hosts: string; resolv?: string; path?: string | undefined },
  args: readonly string[],
) {
  const [hosts, resolv] = [join(home.dir, 'hosts'), join(home.dir, 'resolv.conf')];
  writeFileSync(hosts, files.hosts);
  writeFileSync(resolv, files.resolv ?? '');
  const path = files.path === undefined ? '' : `PATH=${files.path} && `;
  const script = `mount --bind "$1" /etc/hosts && mount --bind "$2" /etc/resolv.conf && shift 2 && ${path}exec "$@"`;
  // A lookup of the system would wait for silent DNS for 30 s, which is longer than this limit.
  return home.gwtoken(args, {
    wrapper: ['unshare', '-m', 'sh', '-c', script, 'sh', hosts, resolv],
    timeoutMs: 20_000,
  });
}
const silentDns = async () => `nameserver ${await startDns('silent')}\noptions timeout:30 attempts:5\n`;

test('get runs no getent from the current directory', async ({ needs }) => {
  needs('linux');
  writeFileSync(join(home.dir, 'getent'), `#!/bin/sh\n: >'${home.dir}/ran'\nexit 2\n`, { mode: 0o755 });
  const { code } = await home.gwtoken(['get', '--auth-url', 'https://localhost:9'], {
    cwd: home.dir,
    env: { PATH: `:.:${process.env['PATH']}` },
  });
  expect(code).toBe(6);
  expect(existsSync(join(home.dir, 'ran'))).toBe(false);
});

test('get accepts an IPv6 address in the auth URL', async ({ needs }) => {
  needs('ipv6', refusesIpv6() ? 'needs a Node that accepts certificates for IPv6' : undefined);
  const server = await startFaultServer(SENDS_TOKEN, { host: '::1', tls: authority.issue() });
  const { stdout, stderr } = await home.gwtoken(['get', '--auth-url', server.url]);
  expect([stdout, stderr]).toEqual([`${TOKEN}\n`, '']);
  expect(server.requests[0]).toContain(`host: [::1]:${server.port}`);
});

/** Returns true for a Node that rejects every certificate for an IPv6 address, as 22.23.3 does. */
function refusesIpv6(): boolean {
  const [node] = GWTOKEN;
  const script = "process.exit(tls.checkServerIdentity('::1', { subjectaltname: 'IP Address:::1' }) ? 1 : 0)";
  return FORM === 'package' && spawnSync(node, ['-e', script]).status === 1;
}

describe('with another /etc/hosts', () => {
  test('get ends at --timeout if DNS never answers', async ({ needs }) => {
    needs('namespace');
    const files = { hosts: '127.0.0.1 localhost\n', resolv: await silentDns() };
    const url = ['--auth-url', 'https://name.test'];
    const { code, stdout, stderr } = await runWithFiles(files, ['get', ...url, '--timeout', '1s']);
    expect(code).toBe(6);
    expect(stdout + stderr).toMatch(/did not answer within 1 s\n/);
  });

  test.for([
    ['with', undefined],
    ['without', '/nowhere'],
  ] as const)('get %s getent reports a host that DNS does not know', async ([_, path], { needs }) => {
    needs('namespace');
    const resolv = `nameserver ${await startDns('knows no name')}\n`;
    const files = { hosts: '127.0.0.1 localhost\n', resolv, path };
    const { code, stderr } = await runWithFiles(files, ['get', '--auth-url', 'https://none.test']);
    expect(code).toBe(6);
    expect(stderr).toMatch(/error: could not reach none\.test: host not found\n/);
  });

  test('get tries the second address of a name if the first one is dead', async ({ needs }) => {
    needs('namespace');
    const cert = authority.issue({ names: 'DNS:two.test' });
    const server = await startFaultServer(SENDS_TOKEN, { tls: cert });
    await startBlackHole('::1', server.port);
    const hosts = '127.0.0.1 localhost\n::1 two.test\n127.0.0.1 two.test\n';
    const url = `https://two.test:${server.port}`;
    const { stdout, stderr } = await runWithFiles({ hosts }, ['get', '--auth-url', url]);
    expect([stdout, stderr]).toEqual([`${TOKEN}\n`, '']);
  });

  test('get finds localhost on this machine despite another entry', async ({ needs }) => {
    needs('namespace');
    const server = await startFaultServer(SENDS_TOKEN);
    const resolv = await silentDns();
    for (const hosts of ['', '192.0.2.1 localhost\n']) {
      const url = `http://localhost:${server.port}`;
      const { stdout, stderr } = await runWithFiles({ hosts, resolv }, ['get', '--auth-url', url]);
      expect([stdout, stderr]).toEqual([`${TOKEN}\n`, '']);
    }
  });
});
