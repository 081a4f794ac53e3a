import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { startIdentityServer } from '../harness/endpoints/identity-server';
import { startTokenEndpoint, tokenReply } from '../harness/endpoints/token-endpoint';
import { inVariables } from '../harness/homes/client';
import { openHome } from '../harness/homes/home';
import { alike, LONG, results, resultsBehindOne, start, untilWaiting } from './many';

/** One request however many processes ask: the real program, two hundred at once. */
const MANY = 200;

describe(`${MANY} calls at once with an empty cache`, () => {
  test('make one request, again and again, and all get its token', { timeout: LONG }, async () => {
    const identity = await startIdentityServer();
    for (let round = 1; round <= 3; round++) {
      const ended = await results(start(MANY, openHome(inVariables(identity.authUrl))));
      expect(identity.requests.length).toBe(round);
      const token = identity.issued[round - 1];
      expect(alike(ended)).toEqual([{ code: 0, stdout: `${token}\n`, stderr: '' }]);
    }
  });

  test('share a refusal: one request, all end with 3 and say why', { timeout: LONG }, async ({ skip }) => {
    skip(process.platform !== 'linux', 'needs Linux: who waits is seen in /proc/net/unix');
    const endpoint = await startTokenEndpoint(() => ({ status: 401, body: { error: 'invalid_client' } }));
    const ended = await resultsBehindOne(endpoint, openHome(inVariables(endpoint.authUrl)), MANY);
    expect(endpoint.posts.length).toBe(1);
    // The code and the sentence are shared, each says itself what to do next.
    const sentences = ended.map((each) => ({ ...each, stderr: each.stderr.split('\n', 1)[0]! }));
    expect(alike(sentences)).toEqual([
      { code: 3, stdout: '', stderr: expect.stringMatching(/^gwtoken: error: .*401.*invalid_client/) },
    ]);
    for (const { stderr } of ended) expect(stderr).toMatch(/\nhint: ./);
  });

  test('lose the one that asks: another asks, and all others get a token', { timeout: LONG }, async ({
    skip,
  }) => {
    skip(process.platform !== 'linux', 'needs Linux: who waits is seen in /proc/net/unix');
    const identity = await startIdentityServer();
    identity.hang = true;
    const client = openHome(inVariables(identity.authUrl));
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
    const identity = await startIdentityServer();
    identity.hang = true;
    const client = openHome(inVariables(identity.authUrl));
    const took = async (programs: () => ReturnType<typeof start>) => {
      const started = performance.now();
      const ended = await results(programs());
      return { ended, ms: performance.now() - started };
    };
    const starts = await took(() => start(MANY, client, ['--help']));
    const { ended, ms } = await took(() => start(MANY, client, ['--timeout', '5s', '--retries', '2']));
    // Three times the limit, and what two hundred take that load all of gwtoken, a few times.
    expect(ms).toBeLessThan(15_000 + 5 * starts.ms);
    for (const { code, stdout, stderr } of ended) {
      expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
      expect(stderr).toMatch(/^gwtoken: error: /);
    }
  });

  test('do not queue for tokens that cannot be shared', { timeout: LONG }, async ({ skip }) => {
    skip(process.platform !== 'linux', 'needs Linux: who waits is seen in /proc/net/unix');
    const count = 60;
    const endpoint = await startTokenEndpoint(async (post) => {
      // One after the other they would never be all there.
      if (post > 1) await endpoint.arrived(count);
      return tokenReply(post, { expires_in: undefined });
    });
    const ended = await resultsBehindOne(endpoint, openHome(inVariables(endpoint.authUrl)), count);
    expect(ended.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
      ended.map(() => ({ code: 0, stderr: '' })),
    );
    expect(new Set(ended.map(({ stdout }) => stdout)).size).toBe(count);
    expect(endpoint.posts.length).toBe(count);
  });
});
