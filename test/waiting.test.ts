/** The person who could answer, and how long it is waited for one. */
import { expect, test } from 'vitest';
import { allowMoreTime, hasPerson, isCi } from '../src/waiting';

const stream = (isTTY: boolean) => ({ isTTY: () => isTTY });

test('a CI job is where CI is set, and not to what says no', () => {
  for (const value of ['1', 'true', 'yes', 'False', ' ']) expect(isCi({ CI: value })).toBe(true);
  for (const env of [{}, { CI: '' }, { CI: '0' }, { CI: 'false' }, { GITHUB_ACTIONS: 'true' }])
    expect(isCi(env)).toBe(false);
});

test('a person reads stderr where it is a terminal outside CI', () => {
  expect(hasPerson({ env: {}, stderr: stream(true) })).toBe(true);
  expect(hasPerson({ env: {}, stderr: stream(false) })).toBe(false);
});

test('twice as long is what to try next, and an hour at most: no setting takes more', () => {
  const limits = [1000, 2500, 10_000, 1_800_000, 1_801_000, 3_600_000];
  const longer = limits.map((limit) => allowMoreTime(limit).split(' ').at(-1));
  expect(longer).toEqual(['2s', '6s', '20s', '3600s', '3600s', '3600s']);
});
