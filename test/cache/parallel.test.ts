import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { type IdentityServer, startIdentityServer } from '../harness/identity-server';
import { type ProgramResult, startProgram } from '../harness/program';
import { type ClientHome, clientHome } from './client-home';
import { startScriptedEndpoint, tokenReply } from './scripted-endpoint';

/** One request however many processes ask: the real program, two hundred at once. */
const MANY = 200;
const LONG = 180_000;

const cleanups: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function open(authUrl: string, secret?: string): ClientHome {
  const client = clientHome(authUrl, secret);
  cleanups.push(client.home.remove);
  return client;
}
async function startIdentity(): Promise<IdentityServer> {
  const clients = [{ clientId: 'client', clientSecret: 'secret+/=&' }];
  const identity = await startIdentityServer({ region: 'eu', clients });
  cleanups.push(identity.close);
  return identity;
}
async function startScripted(...script: Parameters<typeof startScriptedEndpoint>) {
  const endpoint = await startScriptedEndpoint(...script);
  cleanups.push(endpoint.close);
  return endpoint;
}

/** Starts so many at once; their own limits are far off, since they share two processors. */
function start(count: number, client: ClientHome, args: readonly string[] = []) {
  const all = ['get', '--timeout', '60s', '--retries', '0', ...args];
  return Array.from({ length: count }, () => startProgram(all, { env: client.env, timeoutMs: LONG }));
}
const results = (programs: ReturnType<typeof start>) => Promise.all(programs.map(({ result }) => result));

/** How many are connected to the lock's holder: Linux lists sockets with abstract names. */
function waitingFor({ cache }: ClientHome): number {
  try {
    const id = readFileSync(join(cache, '.lock-id'), 'latin1');
    const name = `${process.geteuid?.()} ${id} default-production-eu`;
    const address = `@gwtoken-${createHash('sha256').update(name).digest('hex')}`;
    // A connection that the holder has not accepted yet is one too.
    const connected = ['02', '03'];
    return readFileSync('/proc/net/unix', 'latin1')
      .split('\n')
      .filter((line) => line.includes(address) && connected.includes(line.split(/\s+/)[5] ?? '')).length;
  } catch {
    return 0;
  }
}
async function untilWaiting(client: ClientHome, count: number): Promise<void> {
  for (let round = 0; waitingFor(client) < count; round++) {
    if (round > 1200) throw new Error(`only ${waitingFor(client)} of ${count} wait`);
    await sleep(100);
  }
}

/** The same result for all, told once. */
function alike(ended: readonly ProgramResult[]): { code: number | null; stdout: string; stderr: string }[] {
  const kinds = new Set(ended.map(({ code, stdout, stderr }) => JSON.stringify({ code, stdout, stderr })));
  return [...kinds].map((kind) => JSON.parse(kind));
}

describe(`${MANY} calls at once with an empty cache`, () => {
  test('make one request, again and again, and all get its token', { timeout: LONG }, async () => {
    const identity = await startIdentity();
    for (let round = 1; round <= 3; round++) {
      const ended = await results(start(MANY, open(identity.authUrl)));
      expect(identity.requests.length).toBe(round);
      const token = identity.issued[round - 1];
      expect(alike(ended)).toEqual([{ code: 0, stdout: `${token}\n`, stderr: '' }]);
    }
  });

  test('share a refusal: one request, all end with 3 and say why', { timeout: LONG }, async ({ skip }) => {
    skip(process.platform !== 'linux', 'needs Linux: who waits is seen in /proc/net/unix');
    let refuse = () => {};
    const refused = new Promise<void>((resolve) => {
      refuse = resolve;
    });
    const endpoint = await startScripted(async () => {
      await refused;
      return { status: 401, body: { error: 'invalid_client' } };
    });
    const client = open(endpoint.authUrl);
    const programs = start(MANY, client);
    await untilWaiting(client, MANY - 1);
    refuse();

    const kinds = alike(await results(programs));
    expect(endpoint.posts.length).toBe(1);
    expect(kinds).toEqual([
      { code: 3, stdout: '', stderr: expect.stringMatching(/^gwtoken: error: .*401.*invalid_client/) },
    ]);
  });

  test('lose the one that asks: another asks, and all others get a token', { timeout: LONG }, async ({
    skip,
  }) => {
    skip(process.platform !== 'linux', 'needs Linux: who waits is seen in /proc/net/unix');
    const identity = await startIdentity();
    identity.hang = true;
    const client = open(identity.authUrl);
    const [first] = start(1, client);
    while (identity.requests.length === 0) await sleep(20);
    const others = start(MANY - 1, client);
    await untilWaiting(client, MANY - 1);
    identity.hang = false;
    const killedAt = performance.now();
    first?.kill('SIGKILL');

    const ended = await results(others);
    expect(await first?.result).toMatchObject({ signal: 'SIGKILL', stdout: '' });
    expect(identity.requests.length).toBe(2);
    expect(alike(ended)).toEqual([{ code: 0, stdout: `${identity.issued[0]}\n`, stderr: '' }]);
    // Two seconds by the contract; the rest is for 199 processes that end at once on two processors.
    expect(performance.now() - killedAt).toBeLessThan(12_000);
  });

  test('end within their limit when the endpoint never answers', { timeout: LONG }, async () => {
    const identity = await startIdentity();
    identity.hang = true;
    const client = open(identity.authUrl);
    const started = performance.now();
    const ended = await results(start(MANY, client, ['--timeout', '5s', '--retries', '2']));
    // Three times the limit, and what two hundred starts take on a busy machine.
    expect(performance.now() - started).toBeLessThan(15_000 + 30_000);
    for (const { code, stdout, stderr } of ended) {
      expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
      expect(stderr).toMatch(/^gwtoken: error: /);
    }
  });

  test('do not queue for tokens that cannot be shared', { timeout: LONG }, async () => {
    const REPLY_MS = 1000;
    const endpoint = await startScripted(async (number) => {
      await sleep(REPLY_MS);
      const { body } = tokenReply(number);
      return { body: { ...body, expires_in: undefined } };
    });
    const client = open(endpoint.authUrl);
    const count = 60;
    const started = performance.now();
    const ended = await results(start(count, client));
    expect(ended.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
      ended.map(() => ({ code: 0, stderr: '' })),
    );
    expect(new Set(ended.map(({ stdout }) => stdout)).size).toBe(endpoint.posts.length);
    // One after the other would take a second each.
    expect(performance.now() - started).toBeLessThan((count * REPLY_MS) / 2);
  });
});

describe('who shares with whom', () => {
  test('different clients do not wait for each other', async () => {
    const identity = await startIdentity();
    identity.hang = true;
    const client = open(identity.authUrl);
    const [stuck] = start(1, client);
    while (identity.requests.length === 0) await sleep(20);
    identity.hang = false;
    for (const args of [['--sandbox'], ['--region', 'us']]) {
      const ended = await client.gwtoken(['get', ...args]);
      expect(ended).toMatchObject({ code: 0, stderr: '' });
    }
    stuck?.kill('SIGKILL');
    await stuck?.result;
    expect(identity.requests.length).toBe(3);
  });

  test('other credentials for the same client get neither the token nor the failure', {
    timeout: LONG,
  }, async ({ skip }) => {
    skip(process.platform !== 'linux', 'needs Linux: who waits is seen in /proc/net/unix');
    let answer = () => {};
    const ready = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const endpoint = await startScripted(async (number) => {
      await ready;
      const secret = endpoint.posts[number - 1]?.get('client_secret');
      return secret === 'wrong' ? { status: 401, body: { error: 'invalid_client' } } : tokenReply(number);
    });
    const right = open(endpoint.authUrl, 'right');
    const wrong = { ...right, env: { ...right.env, GWTOKEN_CLIENT_SECRET: 'wrong' } };
    const [holder] = start(1, wrong);
    await endpoint.arrived(1);
    const programs = [...start(10, right), ...start(10, wrong)];
    await untilWaiting(right, 20);
    answer();

    const ended = await results(programs);
    expect(await holder?.result).toMatchObject({ code: 3 });
    expect(alike(ended.slice(0, 10))).toEqual([{ code: 0, stdout: 'token-2\n', stderr: '' }]);
    expect(alike(ended.slice(10)).map(({ code, stdout }) => ({ code, stdout }))).toEqual([
      { code: 3, stdout: '' },
    ]);
    expect(endpoint.posts.map((form) => form.get('client_secret'))).toEqual(['wrong', 'right']);
  });

  test('one that is frozen delays the others by their own limit, and they say how to go on', async ({
    skip,
  }) => {
    skip(process.platform === 'win32', 'needs POSIX: SIGSTOP');
    const identity = await startIdentity();
    identity.hang = true;
    const client = open(identity.authUrl);
    const [frozen] = start(1, client);
    while (identity.requests.length === 0) await sleep(20);
    frozen?.kill('SIGSTOP');
    identity.hang = false;
    const other = await client.gwtoken(['get', '--timeout', '1s']);
    expect(other).toMatchObject({ code: 6, stdout: '' });
    expect(other.stderr).toMatch(
      /^gwtoken: error: another gwtoken .* default:production:eu for 3 s\nhint: .*--no-cache/,
    );
    expect(other.ms).toBeLessThan(10_000);
    expect(await client.gwtoken(['get', '--no-cache'])).toMatchObject({ code: 0, stderr: '' });
    frozen?.kill('SIGKILL');
    await frozen?.result;
  });

  test('--fresh calls at once share a token that none of them asked too early for', async ({ skip }) => {
    skip(process.platform !== 'linux', 'needs Linux: who waits is seen in /proc/net/unix');
    let answer = () => {};
    const ready = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const endpoint = await startScripted(async (number) => {
      if (number > 1) await ready;
      return tokenReply(number);
    });
    const client = open(endpoint.authUrl);
    expect(await client.gwtoken(['get'])).toMatchObject({ code: 0, stdout: 'token-1\n' });
    const programs = start(20, client, ['--fresh']);
    await untilWaiting(client, 19);
    answer();
    const ended = await results(programs);
    expect(ended.map(({ code, stderr }) => `${code}${stderr}`)).toEqual(ended.map(() => '0'));
    // Those that came after the first request was sent need one more, all together.
    expect(endpoint.posts.length).toBeLessThanOrEqual(3);
    expect(ended.map(({ stdout }) => stdout)).not.toContain('token-1\n');
  });

  test('a --min-ttl that no token meets is not asked for by each', { timeout: LONG }, async ({ skip }) => {
    skip(process.platform !== 'linux', 'needs Linux: who waits is seen in /proc/net/unix');
    let answer = () => {};
    const ready = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const endpoint = await startScripted(async (number) => {
      await ready;
      // Longer than two tokens may differ and still be taken for the same ageing one.
      await sleep(1500);
      return tokenReply(number);
    });
    const client = open(endpoint.authUrl);
    const programs = start(10, client, ['--min-ttl', '2h']);
    await untilWaiting(client, 9);
    answer();
    const kinds = alike(await results(programs));
    expect(kinds.map(({ code, stdout }) => ({ code, stdout }))).toEqual([{ code: 7, stdout: '' }]);
    // Those that came after the first request was sent need one more, all together.
    expect(endpoint.posts.length).toBeLessThanOrEqual(2);
  });

  test('--no-cache waits for nobody and leaves no file', async () => {
    const identity = await startIdentity();
    identity.hang = true;
    const client = open(identity.authUrl);
    const [stuck] = start(1, client);
    while (identity.requests.length === 0) await sleep(20);
    identity.hang = false;
    expect(await client.gwtoken(['get', '--no-cache'])).toMatchObject({ code: 0, stderr: '' });
    stuck?.kill('SIGKILL');
    await stuck?.result;

    const untouched = open(identity.authUrl);
    const { code, stdout } = await untouched.gwtoken(['get', '--no-cache']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${identity.issued[1]}\n` });
    expect(() => readFileSync(untouched.entry)).toThrow('ENOENT');
    expect(() => readFileSync(join(untouched.cache, '.lock-id'))).toThrow('ENOENT');
  });
});
