/** A file that Windows holds for a moment. Wine holds none against a reader, so what Windows would say is said here. */
import { expect, test } from 'vitest';
import { retryWhileBusy } from '../../../src/system/files/replace';

/** Runs work that fails so many times, and says how often it was tried. */
function tried(platform: NodeJS.Platform, code: string, times: number) {
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
  expect(tried('win32', code, 3)).toEqual({ tries: 4, failed: undefined });
});

test('retryWhileBusy() does not retry on other systems or after other errors', () => {
  expect(tried('linux', 'EACCES', 1)).toEqual({ tries: 1, failed: 'EACCES' });
  expect(tried('win32', 'ENOENT', 1)).toEqual({ tries: 1, failed: 'ENOENT' });
});

test('retryWhileBusy() gives up after half a second of pauses', () => {
  const since = performance.now();
  const { tries, failed } = tried('win32', 'EBUSY', Number.POSITIVE_INFINITY);
  expect(failed).toBe('EBUSY');
  expect(performance.now() - since).toBeGreaterThan(499);
  expect(tries).toBeLessThan(100);
});
