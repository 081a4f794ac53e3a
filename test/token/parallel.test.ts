/** Simultaneous calls share one request. */
import { expect, test } from 'vitest';
import { startTokenEndpoint } from '../harness/endpoints/token-endpoint';
import { inVariables } from '../harness/homes/client';
import { openHome } from '../harness/homes/home';
import { distinctOutcomes, LONG, results, startCalls } from './many';

test('8 simultaneous calls make one request', { timeout: LONG }, async () => {
  const endpoint = await startTokenEndpoint();
  const ended = await results(startCalls(8, openHome(inVariables(endpoint.authUrl))));
  expect(distinctOutcomes(ended)).toEqual([{ code: 0, stdout: 'token-1\n', errors: '' }]);
  expect(endpoint.posts.length).toBe(1);
});
