import { expect, test } from 'vitest';
import { startFaultServer } from '../harness/endpoints/fault-server';
import { startTokenEndpoint } from '../harness/endpoints/token-endpoint';
import { inVariables } from '../harness/homes/client';
import { openHome } from '../harness/homes/home';
import { until } from '../harness/programs/processes';
import { executable, runCommand } from '../harness/programs/program';
import { distinctOutcomes, LONG, results, startCalls, untilWaiting } from './many';

test('200 simultaneous calls of both forms make one request', { timeout: LONG }, async ({ needs }) => {
  needs('posix');
  const endpoint = await startTokenEndpoint();
  // Many calls start before there is a token.
  endpoint.delayMs = 2000;
  const home = openHome(inVariables(endpoint.authUrl));
  // xargs starts calls faster than Node, and ends with 0 only if all of them do.
  const calls = 'seq 196 | xargs -P 196 -I _ "$PROGRAM" get --timeout 60s --retries 0';
  const env = { ...home.env, PROGRAM: executable() };
  const ofExecutable = runCommand(['sh', '-c', calls], { env, timeoutMs: LONG });
  const ofPackage = await results(startCalls(4, home));
  expect(await ofExecutable).toMatchObject({ code: 0, stdout: 'token-1\n'.repeat(196), stderr: '' });
  expect(endpoint.posts).toHaveLength(1);
  expect(distinctOutcomes(ofPackage)).toEqual([{ code: 0, stdout: 'token-1\n', errors: '' }]);
});

test('simultaneous --fresh calls share a token that was requested after their start', async () => {
  const endpoint = await startTokenEndpoint();
  const home = openHome(inVariables(endpoint.authUrl));
  expect(await home.gwtoken(['get'])).toMatchObject({ code: 0, stdout: 'token-1\n' });
  const release = endpoint.hold();
  const calls = startCalls(5, home, { program: [executable()] }, '--verbose', '--fresh');
  await untilWaiting(calls, 4);
  release();
  const ended = await results(calls);
  expect(ended.map(({ code }) => code)).toEqual(ended.map(() => 0));
  // Calls that start after the first request was sent share one more.
  expect(endpoint.posts.length).toBeLessThanOrEqual(3);
  expect(ended.map(({ stdout }) => stdout)).not.toContain('token-1\n');
});

test('calls with a silent endpoint do not delay calls of another client ID', { timeout: LONG }, async () => {
  const silent = await startFaultServer({});
  const endpoint = await startTokenEndpoint();
  const home = openHome();
  const callsOf = (clientId: string, authUrl: string) =>
    startCalls(2, home, {
      program: [executable()],
      env: inVariables(authUrl, { clientId, clientSecret: 'secret' }),
    });
  const waiting = callsOf('waiting', silent.url);
  await until('the silent endpoint is asked', () => silent.requests.length > 0, LONG);
  const calls = callsOf('answered', endpoint.authUrl);
  const ended = await Promise.race([results(calls), ...waiting.map(({ result }) => result)]);
  expect(distinctOutcomes([ended].flat())).toEqual([{ code: 0, stdout: 'token-1\n', errors: '' }]);
  expect(endpoint.posts).toHaveLength(1);
  expect(silent.requests).toHaveLength(1);
  for (const { kill } of waiting) kill('SIGKILL');
});
