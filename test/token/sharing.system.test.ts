import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { startIdentityServer } from '../harness/endpoints/identity-server';
import { startTokenEndpoint, tokenReply } from '../harness/endpoints/token-endpoint';
import { entryIn, inVariables } from '../harness/homes/client';
import { openHome } from '../harness/homes/home';
import { alike, LONG, results, resultsBehindOne, start, untilWaiting } from './many';

/** Who shares a request with whom, between real processes. */

describe('who shares with whom', () => {
  test('different clients do not wait for each other', async () => {
    const identity = await startIdentityServer();
    identity.hang = true;
    const client = openHome(inVariables(identity.authUrl));
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
    const endpoint = await startTokenEndpoint((post, form) =>
      form.get('client_secret') === 'wrong'
        ? { status: 401, body: { error: 'invalid_client' } }
        : tokenReply(post),
    );
    const answer = endpoint.hold();
    const right = openHome(inVariables(endpoint.authUrl, { clientId: 'client', clientSecret: 'right' }));
    const wrong = { GWTOKEN_CLIENT_SECRET: 'wrong' };
    const [holder] = start(1, right, [], wrong);
    await endpoint.arrived(1);
    const programs = [...start(10, right), ...start(10, right, [], wrong)];
    // Who has other credentials has another turn: each of the two has one who asks.
    await untilWaiting(right, 19);
    answer();

    const ended = await results(programs);
    expect(await holder?.result).toMatchObject({ code: 3 });
    expect(alike(ended.slice(0, 10))).toEqual([{ code: 0, stdout: 'token-2\n', stderr: '' }]);
    expect(alike(ended.slice(10)).map(({ code, stdout }) => ({ code, stdout }))).toEqual([
      { code: 3, stdout: '' },
    ]);
    expect(endpoint.posts.map((form) => form.get('client_secret'))).toEqual(['wrong', 'right']);
  });

  test('one that is frozen is passed over: of all who wait, one asks', { timeout: LONG }, async ({
    skip,
  }) => {
    skip(process.platform !== 'linux', 'needs Linux: who waits is seen in /proc/net/unix');
    const identity = await startIdentityServer();
    identity.hang = true;
    const client = openHome(inVariables(identity.authUrl));
    const [frozen] = start(1, client);
    while (identity.requests.length === 0) await sleep(20);
    frozen?.kill('SIGSTOP');
    identity.hang = false;
    const ended = await results(start(60, client));
    expect(alike(ended)).toEqual([{ code: 0, stdout: `${identity.issued[0]}\n`, stderr: '' }]);
    expect(identity.requests.length).toBe(2);
    frozen?.kill('SIGKILL');
    await frozen?.result;
  });

  test('a slow endpoint sets nobody loose: they wait, each within its own limit', {
    timeout: LONG,
  }, async () => {
    const endpoint = await startTokenEndpoint();
    const answer = endpoint.hold();
    const client = openHome(inVariables(endpoint.authUrl));
    const programs = start(20, client);
    await endpoint.arrived(1);
    const other = await client.gwtoken(['get', '--timeout', '2s']);
    expect(other).toMatchObject({ code: 6, stdout: '' });
    expect(other.stderr).toMatch(
      /^gwtoken: error: waited 6 s for another gwtoken process to get the token for default:production:eu\nhint: .*--no-cache/,
    );
    expect(endpoint.posts.length).toBe(1);
    answer();
    expect(alike(await results(programs))).toEqual([{ code: 0, stdout: 'token-1\n', stderr: '' }]);
  });

  test('--fresh calls at once share a token that none of them asked too early for', async ({ skip }) => {
    skip(process.platform !== 'linux', 'needs Linux: who waits is seen in /proc/net/unix');
    const endpoint = await startTokenEndpoint();
    const client = openHome(inVariables(endpoint.authUrl));
    expect(await client.gwtoken(['get'])).toMatchObject({ code: 0, stdout: 'token-1\n' });
    const ended = await resultsBehindOne(endpoint, client, 20, ['--fresh']);
    expect(ended.map(({ code, stderr }) => `${code}${stderr}`)).toEqual(ended.map(() => '0'));
    // Those that came after the first request was sent need one more, all together.
    expect(endpoint.posts.length).toBeLessThanOrEqual(3);
    expect(ended.map(({ stdout }) => stdout)).not.toContain('token-1\n');
  });

  test('a --min-ttl that no token meets is not asked for by each', { timeout: LONG }, async ({ skip }) => {
    skip(process.platform !== 'linux', 'needs Linux: who waits is seen in /proc/net/unix');
    const endpoint = await startTokenEndpoint();
    // Longer than two tokens may differ and still be taken for the same ageing one.
    endpoint.delayMs = 1500;
    const client = openHome(inVariables(endpoint.authUrl));
    const kinds = alike(await resultsBehindOne(endpoint, client, 10, ['--min-ttl', '2h']));
    expect(kinds.map(({ code, stdout }) => ({ code, stdout }))).toEqual([{ code: 7, stdout: '' }]);
    // Those that came after the first request was sent need one more, all together.
    expect(endpoint.posts.length).toBeLessThanOrEqual(2);
  });

  test('--no-cache waits for nobody and leaves no file', async () => {
    const identity = await startIdentityServer();
    identity.hang = true;
    const client = openHome(inVariables(identity.authUrl));
    const [stuck] = start(1, client);
    while (identity.requests.length === 0) await sleep(20);
    identity.hang = false;
    expect(await client.gwtoken(['get', '--no-cache'])).toMatchObject({ code: 0, stderr: '' });
    stuck?.kill('SIGKILL');
    await stuck?.result;

    const untouched = openHome(inVariables(identity.authUrl));
    const { code, stdout } = await untouched.gwtoken(['get', '--no-cache']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${identity.issued[1]}\n` });
    expect(() => readFileSync(entryIn(untouched.cache))).toThrow('ENOENT');
    expect(() => readFileSync(join(untouched.cache, '.locks'))).toThrow('ENOENT');
  });
});
