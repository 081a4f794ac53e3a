import { describe, expect, test } from 'vitest';
import { startTokenEndpoint, tokenReply } from '../harness/endpoints/token-endpoint';
import { inVariables } from '../harness/homes/client';
import { openHome } from '../harness/homes/home';
import { alike, LONG, results, resultsBehindOne, start, untilWaiting } from './many';

/** One request however many processes need the token: the real program. */
const MANY = 40;

test('200 calls at once with an empty cache make one request and get its token', {
  timeout: LONG,
}, async () => {
  const endpoint = await startTokenEndpoint();
  const ended = await results(start(200, openHome(inVariables(endpoint.authUrl))));
  expect(endpoint.posts.length).toBe(1);
  expect(alike(ended)).toEqual([{ code: 0, stdout: 'token-1\n', errors: '' }]);
  for (const { stderr } of ended) expect(stderr).toBe('');
});

describe(`${MANY} calls at once`, () => {
  test('share a refusal: one request, each ends with 3, the sentence and hints of its own', {
    timeout: LONG,
  }, async () => {
    const endpoint = await startTokenEndpoint(() => ({ status: 401, body: { error: 'invalid_client' } }));
    const ended = await resultsBehindOne(endpoint, openHome(inVariables(endpoint.authUrl)), MANY);
    expect(endpoint.posts.length).toBe(1);
    expect(alike(ended)).toEqual([
      { code: 3, stdout: '', errors: expect.stringMatching(/^gwtoken: error: .*401.*invalid_client/) },
    ]);
    for (const { stderr } of ended) expect(stderr).toMatch(/\nhint: ./);
  });

  test('lose the one that asks: one other asks, and all get its token', { timeout: LONG }, async () => {
    const endpoint = await startTokenEndpoint();
    const answer = endpoint.hold();
    const client = openHome(inVariables(endpoint.authUrl));
    const [first] = start(1, client);
    await endpoint.arrived(1);
    const others = start(MANY, client, ['--verbose']);
    await untilWaiting(others, MANY);
    answer();
    first?.kill('SIGKILL');
    const ended = await results(others);
    expect(await first?.result).toMatchObject({ signal: 'SIGKILL' });
    expect(endpoint.posts.length).toBeLessThanOrEqual(2);
    expect(alike(ended)).toMatchObject([{ code: 0, errors: '' }]);
  });

  test('do not queue for tokens that cannot be shared', { timeout: LONG }, async () => {
    const endpoint = await startTokenEndpoint(async (post) => {
      // One after the other they would never be all there.
      if (post > 1) await endpoint.arrived(MANY);
      return tokenReply(post, { expires_in: undefined });
    });
    const ended = await resultsBehindOne(endpoint, openHome(inVariables(endpoint.authUrl)), MANY);
    expect(ended.map(({ code }) => code)).toEqual(Array(MANY).fill(0));
    expect(new Set(ended.map(({ stdout }) => stdout)).size).toBe(MANY);
    expect(endpoint.posts.length).toBe(MANY);
  });
});
