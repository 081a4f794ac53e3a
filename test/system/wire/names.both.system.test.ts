/** Names and addresses: DNS that is silent, a first address that is dead, IPv6. */
import { execFileSync, fork, spawnSync } from 'node:child_process';
import { V4MAPPED } from 'node:dns';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { openConnection } from '../../../src/system/wire/connection';
import { endableLookup, loopbackOnly } from '../../../src/system/wire/dns';
import { openWire } from '../../../src/system/wire/wire';
import { onCleanup } from '../../harness/clean-up';
import { startBlackHole, startFaultServer } from '../../harness/endpoints/fault-server';
import { startSilentDns } from '../../harness/endpoints/silent-dns';
import { bundle } from '../../harness/programs/bundle';
import { isRunning, until } from '../../harness/programs/processes';
import { atMost, FORM, GWTOKEN } from '../../harness/programs/program';
import { ROOT } from '../../harness/root';
import { reply, SECRET, setScene, TOKEN } from './scene';

const { authority, home } = setScene();
Object.assign(home.env, { GWTOKEN_NO_CACHE: '1', GWTOKEN_CA_FILE: authority.caFile });
const answer = (socket: import('node:net').Socket) => void socket.write(reply(200));

/** Runs gwtoken where /etc/hosts and /etc/resolv.conf are ours (a mount namespace). */
function runWithFiles(files: { hosts: string; resolv?: string; path?: string }, args: readonly string[]) {
  const [hosts, resolv] = [join(home.dir, 'hosts'), join(home.dir, 'resolv.conf')];
  writeFileSync(hosts, files.hosts);
  writeFileSync(resolv, files.resolv ?? '');
  const path = files.path === undefined ? '' : `PATH=${files.path} && `;
  const script = `mount --bind "$1" /etc/hosts && mount --bind "$2" /etc/resolv.conf && shift 2 && ${path}exec "$@"`;
  return home.gwtoken(args, { wrapper: ['unshare', '-m', 'sh', '-c', script, 'sh', hosts, resolv] });
}

function needsNamespace(): string | undefined {
  try {
    execFileSync('unshare', ['-m', 'mount', '--bind', '/etc/hosts', '/etc/hosts'], { stdio: 'pipe' });
    return undefined;
  } catch {
    return 'needs root on Linux: a mount namespace';
  }
}
const unable = needsNamespace();

test('a name that is not in DNS is told apart from a refusal', async () => {
  const result = await home.gwtoken([
    'get',
    '--auth-url',
    'https://gwtoken-test.invalid',
    '--retries',
    '0',
    '--timeout',
    '5s',
  ]);
  expect(result.code).toBe(6);
  expect(result.stderr).toMatch(
    /error: could not reach gwtoken-test\.invalid: (host not found|DNS is not responding)/,
  );
  expect(result.stdout).toBe('');
});

const OF_RESOLVER = {
  RES_OPTIONS: 'timeout:3',
  LOCALDOMAIN: 'gwtoken-test.invalid',
  HOSTALIASES: '/nowhere',
};

test('the program that looks names up is told the name, and nothing else', async ({ skip }) => {
  skip(process.platform !== 'linux', 'needs Linux: getent(1) looks names up there');
  const seen = join(home.dir, 'seen');
  writeFileSync(join(home.dir, 'getent'), `#!/bin/sh\n(env; echo "args: $*") > ${seen}\nexit 2\n`, {
    mode: 0o755,
  });
  const result = await home.gwtoken(
    ['get', '--auth-url', 'https://gwtoken-test.invalid', '--retries', '0', '--timeout', '5s'],
    { env: { ...OF_RESOLVER, PATH: `${home.dir}:${process.env['PATH']}` } },
  );
  expect(result.code).toBe(6);
  const told = readFileSync(seen, 'utf8')
    .split('\n')
    .filter((line) => !/^(PWD|OLDPWD|SHLVL|_)=|^$/.test(line));
  expect(told.map((line) => line.replace(/=.*/, '=')).sort()).toEqual([
    'HOSTALIASES=',
    'LC_ALL=',
    'LOCALDOMAIN=',
    'PATH=',
    'RES_OPTIONS=',
    'args: ahosts gwtoken-test.invalid',
  ]);
});

test('a name that begins with a hyphen is not told to that program, which would take it for an option', async () => {
  const [seen, child] = [join(home.dir, 'option'), join(home.dir, 'child.cjs')];
  writeFileSync(join(home.dir, 'getent'), `#!/bin/sh\n>'${seen}'\nexit 2\n`, { mode: 0o755 });
  const addresses = [
    { address: '192.0.2.1', family: 4 },
    { address: '2001:db8::1', family: 6 },
  ];
  const answer = JSON.stringify({ addresses });
  writeFileSync(child, `process.on('message', () => process.send(${answer}));`);
  const env = { PATH: `${home.dir}:${process.env['PATH']}` };
  const own = { env, platform: 'linux', lookupChild: [child] } as const;
  const lookup = endableLookup(own, new AbortController().signal);
  const found = (name: string) =>
    new Promise((resolve) => lookup(name, { all: true }, (_, all) => resolve(all)));
  expect(await found('-s.gwtoken-test.invalid')).toEqual(addresses);
  expect(existsSync(seen)).toBe(false);
});

/** What a lookup by a child of our own comes to, whose program this is. */
function foundBy(
  program: string,
  name: string,
  own: Partial<Parameters<typeof endableLookup>[0]> = {},
  cut = new AbortController().signal,
): Promise<unknown> {
  const child = join(home.dir, 'child.cjs');
  writeFileSync(child, program);
  const lookup = endableLookup({ env: {}, platform: 'darwin', lookupChild: [child], ...own }, cut);
  return new Promise((resolve, reject) =>
    lookup(name, WANTED, (error, all) => (error ? reject(error) : resolve(all))),
  );
}
const WANTED = { all: true, family: 4, hints: V4MAPPED } as const;
const FOUND = [{ address: '127.0.0.1', family: 4 }];

test('a child of our own is told the name and the family, and says why it finds nothing', async () => {
  const echo = `process.on('message', ({ hostname, options }) => process.send({ addresses: [hostname, options] }));`;
  expect(await foundBy(echo, 'a.test')).toEqual(['a.test', { family: 4, hints: V4MAPPED }]);
  const nothing = `process.on('message', () => process.send({ code: 'ENOTFOUND', message: 'not there' }));`;
  await expect(foundBy(nothing, 'a.test')).rejects.toMatchObject({ code: 'ENOTFOUND', message: 'not there' });
});

test('a child of our own that crashes is no reason to fail, and one that is no more waited for is', async () => {
  expect(await foundBy('process.exit(1);', 'localhost')).toEqual(FOUND);
  const none = `process.on('message', () => process.send({ addresses: [] }));`;
  expect(await foundBy(none, 'localhost')).toEqual(FOUND);
  const silent = `process.on('message', () => {});`;
  await expect(foundBy(silent, 'localhost', {}, AbortSignal.timeout(300))).rejects.toThrow('closed');
  writeFileSync(join(home.dir, 'getent'), '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 });
  const getent = { platform: 'linux', env: { PATH: `${home.dir}:${process.env['PATH']}` } } as const;
  await expect(foundBy('', 'localhost', getent, AbortSignal.timeout(300))).rejects.toThrow('closed');
});

test('a child of our own gets no variable but the resolver’s, no argument of Node’s, and no stream of ours', async ({
  skip,
}) => {
  skip(process.platform === 'win32', 'needs POSIX: Windows adds variables of its own');
  const told = `const { fstatSync } = require('node:fs');
    process.on('message', () => process.send({ addresses: [
      Object.keys(process.env).filter((name) => !name.startsWith('NODE_CHANNEL_')).sort(),
      process.execArgv,
      [0, 1, 2].map((stream) => fstatSync(stream).isCharacterDevice()),
    ] }));`;
  const env = { ...OF_RESOLVER, GWTOKEN_CLIENT_SECRET: SECRET };
  process.execArgv.push('--no-warnings');
  onCleanup(() => process.execArgv.pop());
  expect(await foundBy(told, 'a.test', { env })).toEqual([
    ['HOSTALIASES', 'LC_ALL', 'LOCALDOMAIN', 'RES_OPTIONS'],
    [],
    [true, true, true],
  ]);
});

test('an address is given once: alone where one is wanted, and not again when the child has ended', async () => {
  const child = join(home.dir, 'child.cjs');
  writeFileSync(child, `process.on('message', () => process.send({ addresses: ${JSON.stringify(FOUND)} }));`);
  const own = { env: {}, platform: 'darwin', lookupChild: [child] } as const;
  const given: unknown[] = [];
  const lookup = endableLookup(own, new AbortController().signal);
  await new Promise<void>((resolve) =>
    lookup('localhost', { family: 4 }, (...answer) => {
      given.push(answer);
      resolve();
    }),
  );
  // A lookup of its own takes longer than the end of the one before.
  await foundBy('process.exit(1);', 'localhost');
  expect(given).toEqual([[null, '127.0.0.1', 4]]);
});

test('what getent says of each kind of socket counts once, and what is no address does not', async ({
  skip,
}) => {
  skip(process.platform === 'win32', 'needs POSIX: a script');
  const lines = ['::1 STREAM a.test', '::1 DGRAM', '127.0.0.1 STREAM', '::1 RAW', 'none', '127.0.0.1 RAW'];
  writeFileSync(join(home.dir, 'getent'), `#!/bin/sh\nprintf '%s\\n' '${lines.join("' '")}'\n`, {
    mode: 0o755,
  });
  const env = { PATH: home.dir };
  expect(await foundBy('', 'a.test', { platform: 'linux', env })).toEqual([
    { address: '::1', family: 6 },
    { address: '127.0.0.1', family: 4 },
  ]);
});

test('a getent that heeds no SIGTERM is ended too', async ({ skip }) => {
  skip(process.platform === 'win32', 'needs POSIX: signals');
  const pid = join(home.dir, 'pid');
  const script = `#!/bin/sh\ntrap '' TERM\necho $$ >'${pid}.new'\nmv '${pid}.new' '${pid}'\nexec sleep 40\n`;
  writeFileSync(join(home.dir, 'getent'), script, { mode: 0o755 });
  const env = { PATH: `${home.dir}:${process.env['PATH']}` };
  const cutter = new AbortController();
  const found = foundBy('', 'localhost', { platform: 'linux', env }, cutter.signal);
  await until('getent runs', () => existsSync(pid));
  cutter.abort();
  await expect(found).rejects.toThrow('closed');
  await until('getent has ended', () => !isRunning(Number(readFileSync(pid, 'utf8'))));
});

describe('the program of that child', () => {
  let program: string;
  beforeAll(async () => {
    program = await bundle(join(ROOT, 'src', 'system', 'wire', 'lookup-child.ts'));
  });

  test('finds a name, or says why not', async () => {
    const own = { env: {}, platform: 'darwin', lookupChild: [program] } as const;
    const lookup = endableLookup(own, new AbortController().signal);
    const found = (name: string, family: 4 | 6) =>
      new Promise((resolve) =>
        lookup(name, { ...WANTED, family }, (error, all) => resolve(error?.code ?? all)),
      );
    expect(await found('localhost', 4)).toEqual(FOUND);
    expect(await found('localhost', 6)).toContainEqual({ address: expect.stringContaining('::'), family: 6 });
    expect(await found(`${'x'.repeat(64)}.test`, 4)).toBe('ENOTFOUND');
  });

  test('ends by a signal when its parent has gone, since an exit would wait for DNS', async ({ skip }) => {
    skip(process.platform === 'win32', 'needs POSIX: signals');
    const child = fork(program, [], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    child.disconnect();
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  });
});

test.each([
  ['::1', { all: true }, [null, [{ address: '::1', family: 6 }]]],
  ['127.1.2.3', { all: true }, [null, [{ address: '127.1.2.3', family: 4 }]]],
  ['127.1.2.3', {}, [null, '127.1.2.3', 4]],
  ['192.0.2.1', { all: true }, [expect.objectContaining({ code: 'ENOTLOOPBACK' }), [], 0]],
  ['::ffff:192.0.2.1', {}, [expect.objectContaining({ code: 'ENOTLOOPBACK' }), [], 0]],
  [`${'x'.repeat(64)}.test`, { all: true }, [expect.objectContaining({ code: 'ENOTFOUND' }), [], 0]],
])('an http: address is looked up on this machine alone: %s, %j', async (name, wanted, answer) => {
  expect(await new Promise((resolve) => loopbackOnly(name, wanted, (...all) => resolve(all)))).toEqual(
    answer,
  );
});

test.each(['linux', 'darwin'] as const)(
  'a program that the system does not start is no reason to fail either, as on %s',
  async (platform) => {
    const env = { RES_OPTIONS: 'x'.repeat(4_000_000) };
    expect(await foundBy('', 'localhost', { platform, env })).toEqual(FOUND);
  },
);

test('a getent that has failed late is not followed by a lookup that could not be ended', async ({
  skip,
}) => {
  skip(process.platform !== 'linux', 'needs Linux: getent(1) looks names up there');
  writeFileSync(join(home.dir, 'getent'), '#!/bin/sh\nsleep 2.1\nexit 2\n', { mode: 0o755 });
  // A lookup here would find this one.
  const result = await home.gwtoken(['get', '--auth-url', 'https://localhost:9', '--retries', '0'], {
    env: { PATH: `${home.dir}:${process.env['PATH']}` },
  });
  expect([result.code, result.stdout]).toEqual([6, '']);
  expect(result.stderr).toBe(
    'gwtoken: error: could not reach localhost:9: DNS is not responding\nhint: check the network and the VPN\n',
  );
});

test('DNS that never answers is bounded by --timeout, although its lookup cannot be called off', async ({
  skip,
}) => {
  skip(unable !== undefined, unable);
  const files = { hosts: '127.0.0.1 localhost\n', resolv: `nameserver ${await startSilentDns()}\n` };
  const url = ['--auth-url', 'https://name.test'];
  const [once, twice, doctor] = await Promise.all([
    runWithFiles(files, ['get', ...url, '--timeout', '1s', '--retries', '0']),
    // All attempts and pauses have 6 s: so two fit on a busy machine too.
    runWithFiles(files, ['get', ...url, '--timeout', '2s', '--retries', '1']),
    runWithFiles(files, ['doctor', ...url, '--timeout', '1s']),
  ]);
  expect(once.stderr).toMatch(/did not answer within 1 s: DNS lookup of name\.test timed out\n/);
  expect(twice.stderr).toMatch(/DNS lookup of name\.test timed out \(2 attempts\)/);
  for (const { code, stdout } of [once, twice]) expect([code, stdout]).toEqual([6, '']);
  expect(doctor.stdout).toMatch(
    /FAIL DNS +https:\/\/name\.test\/ did not answer within 1 s: DNS lookup of name\.test timed out/,
  );
  // The system itself goes on for ten seconds.
  expect(once.ms).toBeLessThan(await atMost(3000));
  expect(doctor.ms).toBeLessThan(await atMost(3000));
  expect(twice.ms).toBeLessThan(await atMost(8000));
});

test('without getent a child of our own looks names up, and ends with the time limit', async ({ skip }) => {
  skip(unable !== undefined, unable);
  const server = await startFaultServer({ answer }, { tls: authority.issue({ names: 'DNS:known.test' }) });
  const files = {
    hosts: '127.0.0.1 localhost known.test\n',
    resolv: `nameserver ${await startSilentDns()}\n`,
    path: '/nowhere',
  };
  const [late, found] = await Promise.all([
    runWithFiles(files, ['get', '--auth-url', 'https://name.test', '--timeout', '1s', '--retries', '0']),
    runWithFiles(files, ['get', '--auth-url', `https://known.test:${server.port}`, '--retries', '0']),
  ]);
  expect([late.code, late.stdout]).toEqual([6, '']);
  expect(late.stderr).toMatch(/did not answer within 1 s: DNS lookup of name\.test timed out\n/);
  // The system itself goes on for ten seconds.
  expect(late.ms).toBeLessThan(await atMost(3000));
  expect([found.stdout, found.stderr]).toEqual([`${TOKEN}\n`, '']);
});

test('when the first address is dead the second one is tried, well within the limit', async ({ skip }) => {
  skip(unable !== undefined, unable);
  const cert = authority.issue({ names: 'DNS:two.test' });
  const server = await startFaultServer({ answer }, { tls: cert });
  await startBlackHole('::1', server.port);
  const hosts = '127.0.0.1 localhost\n::1 two.test\n127.0.0.1 two.test\n';
  const url = `https://two.test:${server.port}`;
  const result = await runWithFiles({ hosts }, ['get', '--auth-url', url, '--retries', '0']);
  expect(result.stderr).toBe('');
  expect(result.stdout).toBe(`${TOKEN}\n`);
  expect(result.ms).toBeGreaterThan(450);
  expect(result.ms).toBeLessThan(await atMost(4000));
});

test('a dot at the end of a name is for DNS, and not for TLS', async ({ skip }) => {
  skip(unable !== undefined, unable);
  const asked: string[] = [];
  const identity = authority.issue({ names: 'DNS:dot.test' });
  const SNICallback = (name: string, done: (error: null) => void): void => {
    asked.push(name);
    done(null);
  };
  const server = await startFaultServer({ answer }, { tls: { ...identity, SNICallback } });
  const hosts = '127.0.0.1 localhost dot.test.\n';
  const url = ['--auth-url', `https://dot.test.:${server.port}`];
  const result = await runWithFiles({ hosts }, ['get', ...url, '--retries', '0']);
  expect([result.stdout, result.stderr]).toEqual([`${TOKEN}\n`, '']);
  await runWithFiles({ hosts }, ['doctor', '--region', 'eu', ...url]);
  expect(asked).toEqual(['dot.test', 'dot.test']);
});

test('when every address refuses, it says so once', async ({ skip }) => {
  skip(unable !== undefined, unable);
  const hosts = '::1 two.test\n127.0.0.1 two.test\n';
  const result = await runWithFiles({ hosts }, [
    ...['get', '-v', '--retries', '0', '--auth-url', 'https://two.test:9'],
  ]);
  expect(result.code).toBe(6);
  expect(result.stderr).toMatch(/error: could not reach two\.test:9: connection refused\n/);
  expect(result.stderr).toMatch(/ECONNREFUSED ::1:9; .*ECONNREFUSED 127\.0\.0\.1:9\n/);
});

test('an http: localhost that is another machine gets nothing', async ({ skip }) => {
  skip(unable !== undefined, unable);
  const hosts = '192.0.2.1 localhost\n';
  const url = ['--auth-url', 'http://localhost:9'];
  const result = await runWithFiles({ hosts }, ['get', ...url]);
  expect(result.code).toBe(6);
  expect(result.stderr).toMatch(/could not reach localhost:9: localhost does not resolve to this machine\n/);
  const doctor = await runWithFiles({ hosts }, ['doctor', ...url]);
  expect(doctor.stdout).toMatch(
    /FAIL DNS +could not reach localhost:9: localhost does not resolve to this machine\n/,
  );
});

test.each([
  ['127.0.0.1', 'localhost', '127.0.0.1'],
  ['::1', '[::1]', '[::1]'],
])('the address that answers is told, whatever its name: %s, for %s', async (host, name, shown) => {
  const server = await startFaultServer({ answer }, { host });
  const { platform, versions } = process;
  const told: string[] = [];
  const wire = openWire({ env: {}, platform, nodeVersion: versions.node, lookupChild: [], warn: () => {} });
  const { address } = await wire.fetch(`http://${name}:${server.port}/`, {
    ...{ method: 'HEAD', headers: {}, timeoutMs: 5000 },
    trace: (line) => told.push(line),
  });
  expect(address).toBe(`${shown}:${server.port}`);
  expect(told.at(-1)).toBe(`connected to ${shown}:${server.port}`);
});

test('an address without a port has that of its scheme', async () => {
  const { platform, versions } = process;
  const open = (url: string, env: Record<string, string> = {}) => {
    const own = { env, platform, nodeVersion: versions.node, lookupChild: [], warn: () => {} };
    const connection = openConnection(new URL(url), {}, own);
    onCleanup(() => connection.close());
    return connection.ready;
  };
  // Whether somebody listens there or not.
  const port = open('http://127.0.0.1').then(
    ({ remotePort }) => remotePort,
    (error) => error.port,
  );
  expect(await port).toBe(80);
  const proxy = await startFaultServer({ answer: (socket) => void socket.end('HTTP/1.1 503 No\r\n\r\n') });
  for (const url of ['https://id.test', 'https://[::1]'])
    await expect(open(url, { HTTPS_PROXY: proxy.url })).rejects.toThrow();
  expect(proxy.requests).toEqual([
    expect.stringMatching(/^CONNECT id\.test:443 HTTP\/1\.1\r\n/),
    expect.stringMatching(/^CONNECT \[::1\]:443 HTTP\/1\.1\r\n/),
  ]);
});

/** Node 22.23.3 takes no certificate for one: https.request() fails there as well, and nothing is let through. */
function refusesIpv6(): boolean {
  const [node] = GWTOKEN;
  const script = "process.exit(tls.checkServerIdentity('::1', { subjectaltname: 'IP Address:::1' }) ? 1 : 0)";
  return FORM === 'package' && spawnSync(node, ['-e', script]).status === 1;
}

test.for([undefined, 'tls'] as const)('IPv6 by its address, %s', async (secure, { skip }) => {
  skip(secure !== undefined && refusesIpv6(), 'this Node takes no certificate for an IPv6 address');
  const options = { host: '::1', ...(secure ? { tls: authority.issue() } : {}) };
  const server = await startFaultServer({ answer }, options);
  const result = await home.gwtoken(['get', '--auth-url', server.url, '--retries', '0']);
  expect(result.stderr).toBe('');
  expect(result.stdout).toBe(`${TOKEN}\n`);
  expect(server.requests[0]).toContain(`host: [::1]:${server.port}`);
});
