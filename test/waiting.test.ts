/** What a CI job is, and how long to wait next time. */
import { expect, test } from 'vitest';
import { allowMoreTime, isCi } from '../src/waiting';

test('a CI job is where CI is set, and not to what says no', () => {
  for (const value of ['1', 'true', 'yes', 'False', ' ']) expect(isCi({ CI: value })).toBe(true);
  for (const env of [{}, { CI: '' }, { CI: '0' }, { CI: 'false' }, { GITHUB_ACTIONS: 'true' }])
    expect(isCi(env)).toBe(false);
});

test('twice as long is what to try next, and an hour at most: no setting takes more', () => {
  const limits = [1000, 2500, 10_000, 1_800_000, 1_801_000, 3_600_000];
  const longer = limits.map((limit) => allowMoreTime(limit).split(' ').at(-1));
  expect(longer).toEqual(['2s', '6s', '20s', '3600s', '3600s', '3600s']);
});
