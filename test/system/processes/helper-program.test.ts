import { expect, test } from 'vitest';
import { helperEnvironment, windowsProgram } from '../../../src/system/processes/helper-program';

test('helper programs get only their variables and absolute directories in PATH', ({ needs }) => {
  needs('posix');
  const env = { PATH: ':/usr/bin:bin:.::/bin:', TERM: 'dumb', HOME: '/home', LC_ALL: 'de' };
  const own = { PATH: '/usr/bin:/bin', HOME: '/home', LC_ALL: 'C' };
  expect(helperEnvironment(env, 'HOME', 'XDG_RUNTIME_DIR')).toStrictEqual(own);
  // Without a PATH, GLib would search the working directory.
  for (const PATH of ['', ':', 'bin:.'])
    expect(helperEnvironment({ PATH })).toStrictEqual({ PATH: '/usr/bin:/bin', LC_ALL: 'C' });
});

test('programs of Windows are started from its own directory', () => {
  expect(windowsProgram('cmd.exe', { SystemRoot: 'D:\\Windows' })).toBe('D:\\Windows\\System32\\cmd.exe');
  expect(windowsProgram('cmd.exe', {})).toBe('C:\\Windows\\System32\\cmd.exe');
});
