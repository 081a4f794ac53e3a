/** Many processes share one request, also if the one that makes it is killed, frozen or slow. */
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startTokenEndpoint, tokenReply } from '../harness/endpoints/token-endpoint';
import { inVariables } from '../harness/homes/client';
import { openHome } from '../harness/homes/home';
import { alike, LONG, results, resultsBehindOne, start, untilWaiting } from './many';

/** One request however many processes need the token, and who shares it with whom: the real program. */
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

test('40 calls at once share a refusal: one request, each ends with 3, the sentence and hints of its own', {
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

test('40 calls at once do not queue for tokens that cannot be shared', { timeout: LONG }, async () => {
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

test('different clients do not wait for each other, nor does --no-cache for anyone', async () => {
  const endpoint = await startTokenEndpoint();
  const answer = endpoint.hold();
  const client = openHome(inVariables(endpoint.authUrl));
  const [stuck] = start(1, client);
  await endpoint.arrived(1);
  const others = [['--sandbox'], ['--region', 'us'], ['--no-cache']].map((args) =>
    client.gwtoken(['get', ...args]),
  );
  await endpoint.arrived(4);
  answer();
  expect(alike(await Promise.all(others)).map(({ code, errors }) => `${code}${errors}`)).toEqual(
    Array(3).fill('0'),
  );
  expect(await stuck?.result).toMatchObject({ code: 0 });

  const untouched = openHome(inVariables(endpoint.authUrl));
  expect(await untouched.gwtoken(['get', '--no-cache'])).toMatchObject({ code: 0, stderr: '' });
  expect(existsSync(untouched.cache)).toBe(false);
});

test('other credentials for the same client get neither the token nor the failure', {
  timeout: LONG,
}, async () => {
  const endpoint = await startTokenEndpoint((post, form) =>
    form.get('client_secret') === 'wrong'
      ? { status: 401, body: { error: 'invalid_client' } }
      : tokenReply(post),
  );
  const answer = endpoint.hold();
  const home = openHome(inVariables(endpoint.authUrl, { clientId: 'client', clientSecret: 'right' }));
  const wrong = { GWTOKEN_CLIENT_SECRET: 'wrong' };
  const [holder] = start(1, home, [], wrong);
  await endpoint.arrived(1);
  const programs = [...start(5, home, ['--verbose']), ...start(5, home, ['--verbose'], wrong)];
  // Each of the two has one who asks.
  await untilWaiting(programs, 9);
  answer();

  const ended = await results(programs);
  expect(await holder?.result).toMatchObject({ code: 3 });
  expect(alike(ended.slice(0, 5))).toEqual([{ code: 0, stdout: 'token-2\n', errors: '' }]);
  expect(alike(ended.slice(5))).toMatchObject([{ code: 3, stdout: '' }]);
  expect(endpoint.posts.map((form) => form.get('client_secret'))).toEqual(['wrong', 'right']);
});

test('--fresh calls at once share a token that none of them asked too early for', async () => {
  const endpoint = await startTokenEndpoint();
  const client = openHome(inVariables(endpoint.authUrl));
  expect(await client.gwtoken(['get'])).toMatchObject({ code: 0, stdout: 'token-1\n' });
  const ended = await resultsBehindOne(endpoint, client, 20, ['--fresh']);
  expect(ended.map(({ code }) => code)).toEqual(ended.map(() => 0));
  // Those that came after the first request was sent need one more, all together.
  expect(endpoint.posts.length).toBeLessThanOrEqual(3);
  expect(ended.map(({ stdout }) => stdout)).not.toContain('token-1\n');
});
