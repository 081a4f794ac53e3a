/** Retries while Windows has a file open. Wine never refuses a reader, so the tests throw Windows' errors. */
import { expect, test } from 'vitest';
import { retryWhileBusy } from '../../../src/system/files/replace';

/** Retries work that fails this many times. Returns the number of tries, and the code of the final error. */
function runFailing(platform: NodeJS.Platform, code: string, times: number) {
  let tries = 0;
  const work = () => {
    if (++tries <= times) throw Object.assign(new Error(code), { code });
  };
  let failed: unknown;
  try {
    retryWhileBusy(work, { platform });
  } catch (error) {
    failed = (error as { code: string }).code;
  }
  return { tries, failed };
}

test.each(['EPERM', 'EACCES', 'EBUSY'])('retryWhileBusy() retries on Windows after %s', (code) => {
  expect(runFailing('win32', code, 3)).toEqual({ tries: 4, failed: undefined });
});

test('retryWhileBusy() does not retry on other systems or after other errors', () => {
  expect(runFailing('linux', 'EACCES', 1)).toEqual({ tries: 1, failed: 'EACCES' });
  expect(runFailing('win32', 'ENOENT', 1)).toEqual({ tries: 1, failed: 'ENOENT' });
});

test('retryWhileBusy() gives up after half a second of pauses', () => {
  const since = performance.now();
  const { tries, failed } = runFailing('win32', 'EBUSY', Number.POSITIVE_INFINITY);
  expect(failed).toBe('EBUSY');
  expect(performance.now() - since).toBeGreaterThan(499);
  expect(tries).toBeLessThan(100);
});
