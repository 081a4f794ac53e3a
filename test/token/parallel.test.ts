/** Simultaneous calls share one request. */
import { expect, test } from 'vitest';
import { startClientHome } from '../harness/homes/home';
import { distinctOutcomes, LONG, results, startCalls } from './many';

test('8 simultaneous calls make one request', { timeout: LONG }, async () => {
  const home = await startClientHome();
  const ended = await results(startCalls(8, home));
  expect(distinctOutcomes(ended)).toEqual([{ code: 0, stdout: 'token-1\n', errors: '' }]);
  expect(home.endpoint.posts.length).toBe(1);
});
