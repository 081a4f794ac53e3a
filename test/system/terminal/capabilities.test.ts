/** What a terminal is taken to show, by the environment alone. */
import { describe, expect, test } from 'vitest';
import { hasUnicode, noPrompt, painter } from '../../../src/system/terminal/capabilities';

type Env = Record<string, string>;

describe('colours', () => {
  const isColoured = async (env: Env, isTTY: boolean) => (await painter(env, isTTY)).red('x') !== 'x';

  test.each<[Env, boolean, boolean]>([
    [{}, true, true],
    [{}, false, false],
    [{ TERM: 'dumb' }, true, false],
    [{ NO_COLOR: '1' }, true, false],
    [{ NO_COLOR: '' }, true, true],
    [{ FORCE_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: 'true', TERM: 'dumb' }, false, true],
    [{ FORCE_COLOR: '' }, false, false],
    [{ FORCE_COLOR: '0' }, true, false],
    [{ FORCE_COLOR: '1', NO_COLOR: '1' }, true, false],
  ])('of %j, on a terminal: %s', async (env, isTTY, expected) => {
    expect(await isColoured(env, isTTY)).toBe(expected);
  });
});

describe('more than ASCII', () => {
  test.each<[NodeJS.Platform, Env, boolean]>([
    ['linux', {}, false],
    ['linux', { LANG: 'en_US.UTF-8' }, true],
    ['linux', { LANG: 'C.UTF-8', LC_CTYPE: 'C' }, false],
    ['linux', { LC_ALL: 'C', LC_CTYPE: 'C.UTF-8', LANG: 'C.UTF-8' }, false],
    ['linux', { TERM: 'linux', LANG: 'C.UTF-8' }, false],
    ['linux', { TERM: 'dumb', LANG: 'C.UTF-8' }, false],
    ['darwin', {}, true],
    ['win32', { LANG: 'C.UTF-8' }, false],
    ['win32', { WT_SESSION: 'x' }, true],
    ['win32', { TERM_PROGRAM: 'vscode' }, true],
  ])('is shown on %s with %j: %s', (platform, env, expected) => {
    expect(hasUnicode(env, platform)).toBe(expected);
  });
});

test('noPrompt names what is missing: two terminals, and no CI', () => {
  const stream = (isTTY: boolean) => ({ isTTY: () => isTTY });
  const why = (stdin: boolean, stderr: boolean, env: Record<string, string> = {}) =>
    noPrompt({ env, stdin: stream(stdin), stderr: stream(stderr) });
  expect(why(true, true)).toBeUndefined();
  expect(why(true, true, { TERM: 'xterm', CI: 'false' })).toBeUndefined();
  expect(why(false, true, { TERM: 'dumb', CI: '1' })).toBe('stdin is not a terminal');
  expect(why(true, false, { TERM: 'dumb', CI: '1' })).toBe('stderr is not a terminal');
  expect(why(true, true, { TERM: 'dumb' })).toBeUndefined();
  expect(why(true, true, { CI: '1' })).toBe('CI is set');
});
