/** Many processes share one request. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { onCleanup } from '../harness/clean-up';
import { startFaultServer } from '../harness/endpoints/fault-server';
import { startTokenEndpoint } from '../harness/endpoints/token-endpoint';
import { inVariables } from '../harness/homes/client';
import { openHome } from '../harness/homes/home';
import { until } from '../harness/programs/processes';
import { executable } from '../harness/programs/program';
import { distinctOutcomes, LONG, results, resultsBehindOne, startCalls } from './many';

/**
 * Starts an endpoint in another thread, because this thread is busy with starting 200 programs. It replies after
 * two seconds, so that many calls have started before there is a token.
 */
async function startBeside(): Promise<{ readonly authUrl: string; posts(): number }> {
  const posts = new Int32Array(new SharedArrayBuffer(4));
  const program = `const { parentPort, workerData: posts } = require('node:worker_threads');
    const server = require('node:http').createServer((request, response) => {
      const access_token = 'token-' + (Atomics.add(posts, 0, 1) + 1);
      const reply = JSON.stringify({ access_token, token_type: 'bearer', expires_in: 3600 });
      response.setHeader('content-type', 'application/json');
      request.resume().on('end', () => setTimeout(() => response.end(reply), 2000));
    });
    server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`;
  const worker = new Worker(program, { eval: true, workerData: posts });
  onCleanup(() => worker.terminate());
  const [port] = await once(worker, 'message');
  return { authUrl: `http://127.0.0.1:${port}`, posts: () => Atomics.load(posts, 0) };
}

test('200 simultaneous calls of both forms make one request', { timeout: LONG }, async () => {
  const endpoint = await startBeside();
  const home = openHome(inVariables(endpoint.authUrl));
  // A call of the package takes four times as long as one of the executable.
  const fifties = Array.from({ length: 4 }, () => [
    ...startCalls(1, home),
    ...startCalls(49, home, { program: [executable()] }),
  ]);
  const ended = await results(fifties.flat());
  expect(endpoint.posts()).toBe(1);
  expect(distinctOutcomes(ended)).toEqual([{ code: 0, stdout: 'token-1\n', errors: '' }]);
  for (const { stderr } of ended) expect(stderr).toBe('');
});

test('simultaneous --fresh calls share a token that was requested after their start', async () => {
  const endpoint = await startTokenEndpoint();
  const home = openHome(inVariables(endpoint.authUrl));
  expect(await home.gwtoken(['get'])).toMatchObject({ code: 0, stdout: 'token-1\n' });
  const ended = await resultsBehindOne(endpoint, home, 5, '--fresh');
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
