/** Files that Windows holds for a moment: replaced all the same, or reported. */
import { describe, expect, test } from 'vitest';
import { retryWhileBusy } from '../../../src/system/files/replace';

/** Wine holds no file against a reader, so what Windows would say is said here. */
describe('a file that another program has open', () => {
  const held = (code: string, times: number) => {
    const work = {
      tries: 0,
      run: () => {
        if (++work.tries <= times) throw Object.assign(new Error(code), { code });
        return 'read';
      },
    };
    return work;
  };
  const windows = { platform: 'win32' } as const;

  test.each(['EPERM', 'EACCES', 'EBUSY'])('is tried again on Windows while it says %s', (code) => {
    const work = held(code, 3);
    expect(retryWhileBusy(work.run, windows)).toBe('read');
    expect(work.tries).toBe(4);
  });

  test.each([
    ['ENOENT', 'win32'],
    ['EACCES', 'linux'],
    ['EBUSY', 'darwin'],
  ] as const)('is not waited for: %s on %s', (code, platform) => {
    const work = held(code, 1);
    expect(() => retryWhileBusy(work.run, { platform })).toThrow(code);
    expect(work.tries).toBe(1);
  });

  test('is given up after half a second, with the error of the system', () => {
    const work = held('EBUSY', Number.POSITIVE_INFINITY);
    const since = performance.now();
    expect(() => retryWhileBusy(work.run, windows)).toThrow(expect.objectContaining({ code: 'EBUSY' }));
    expect(performance.now() - since).toBeGreaterThan(499);
    // After a pause each time: what holds it needs the CPU.
    expect(work.tries).toBeLessThan(100);
  });
});
