/** Faults between gwtoken and its endpoint, each met by the built program as a user runs it. */
import { expect, test } from 'vitest';
import { makeAuthority } from '../../harness/endpoints/authority';
import { BROKEN_CONNECTIONS } from './broken-connections';
import { meet, testCases } from './meet';

test.concurrent('a silent endpoint gets three attempts of 10 s by default', async () => {
  const silent = BROKEN_CONNECTIONS.find(({ name }) => name === 'accepted, then silence')!;
  const { code, stderr, requests } = await meet(silent, makeAuthority());
  expect([code, requests]).toEqual([6, 3]);
  expect(stderr).toMatch(/did not answer within 10 s \(3 attempts\)\n/);
});

testCases(false);
