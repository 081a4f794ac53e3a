import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { startTokenEndpoint, tokenReply } from '../harness/endpoints/token-endpoint';
import { inVariables } from '../harness/homes/client';
import { openHome } from '../harness/homes/home';
import { alike, LONG, results, resultsBehindOne, start, untilWaiting } from './many';

/** Who shares a request with whom, between real processes. */

describe('who shares with whom', () => {
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

  test('a frozen one is passed over: of all who wait, one asks', { timeout: LONG }, async ({ needs }) => {
    needs('posix');
    const endpoint = await startTokenEndpoint();
    endpoint.hold();
    const client = openHome(inVariables(endpoint.authUrl));
    const [frozen] = start(1, client);
    await endpoint.arrived(1);
    frozen?.kill('SIGSTOP');
    endpoint.hold()();
    expect(alike(await results(start(20, client)))).toEqual([{ code: 0, stdout: 'token-2\n', errors: '' }]);
    expect(endpoint.posts.length).toBe(2);
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
    expect(alike(await results(programs))).toEqual([{ code: 0, stdout: 'token-1\n', errors: '' }]);
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
});
