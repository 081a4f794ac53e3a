import { expect, test } from 'vitest';
import { helperEnvironment, windowsProgram } from '../../../src/system/processes/helper-program';

test('helper programs get only their variables and absolute directories in PATH', ({ needs }) => {
  needs('posix');
  const env = { PATH: ':/usr/bin:bin:.::/bin:', SystemRoot: 'D:\\Windows', HOME: '/home', LC_ALL: 'de' };
  const own = { PATH: '/usr/bin:/bin', HOME: '/home', LC_ALL: 'C' };
  expect(helperEnvironment(env, 'HOME', 'XDG_RUNTIME_DIR')).toStrictEqual(own);
  // Without a PATH, GLib would search the working directory.
  for (const PATH of ['', ':', 'bin:.'])
    expect(helperEnvironment({ PATH })).toStrictEqual({ PATH: '/usr/bin:/bin', LC_ALL: 'C' });
  expect(windowsProgram('cmd.exe', env)).toBe('D:\\Windows\\System32\\cmd.exe');
  expect(windowsProgram('cmd.exe', {})).toBe('C:\\Windows\\System32\\cmd.exe');
});
