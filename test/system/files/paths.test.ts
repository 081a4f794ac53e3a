import { describe, expect, test } from 'vitest';
import { directoryOf } from '../../../src/system/files/paths';

type Env = Record<string, string>;
const directories = (platform: NodeJS.Platform, env: Env) =>
  (['config', 'cache'] as const).map((kind) => {
    const found = directoryOf(kind, env, platform);
    return typeof found === 'string' ? found : found.hints[0];
  });

describe('directoryOf()', () => {
  test.for<readonly [where: string, NodeJS.Platform, Env, config: string, cache: string]>([
    ['below HOME on Linux', 'linux', { HOME: '/u' }, '/u/.config/gwtoken', '/u/.cache/gwtoken'],
    [
      'below HOME on macOS',
      'darwin',
      { HOME: '/Users/u' },
      '/Users/u/.config/gwtoken',
      '/Users/u/Library/Caches/gwtoken',
    ],
    [
      'below APPDATA and LOCALAPPDATA on Windows',
      'win32',
      { APPDATA: 'C:\\u\\Roaming', LOCALAPPDATA: 'C:\\u\\Local', HOME: '/u' },
      'C:\\u\\Roaming\\gwtoken',
      'C:\\u\\Local\\gwtoken\\Cache',
    ],
    [
      'below absolute XDG directories on Windows',
      'win32',
      { APPDATA: 'C:\\a', LOCALAPPDATA: 'C:\\l', XDG_CONFIG_HOME: 'd:/c', XDG_CACHE_HOME: '\\\\server\\k' },
      'd:\\c\\gwtoken',
      '\\\\server\\k\\gwtoken',
    ],
    [
      "in gwtoken's own variables first",
      'linux',
      { XDG_CONFIG_HOME: '/c', XDG_CACHE_HOME: '/k', GWTOKEN_CONFIG_DIR: '/own', GWTOKEN_CACHE_DIR: '/here' },
      '/own',
      '/here',
    ],
  ])('finds the directories %s', ([_, platform, env, ...expected]) => {
    expect(directories(platform, env)).toEqual(expected);
  });

  test('ignores relative paths in XDG variables and HOME', () => {
    const relative = { XDG_CONFIG_HOME: 'c', XDG_CACHE_HOME: './k' };
    expect(directories('linux', { ...relative, HOME: '/u' })).toEqual([
      '/u/.config/gwtoken',
      '/u/.cache/gwtoken',
    ]);
    const noHome = ['GWTOKEN_CONFIG_DIR', 'GWTOKEN_CACHE_DIR'].map(
      (variable) => `HOME is not set to a directory; set it or ${variable}`,
    );
    for (const HOME of ['', 'u', './u', '~'])
      expect(directories('linux', { ...relative, HOME })).toEqual(noHome);
    expect(directories('linux', {})).toEqual(noHome);
  });

  test('removes separators at the end', () => {
    const set = (path: string) => ({ GWTOKEN_CONFIG_DIR: path, GWTOKEN_CACHE_DIR: path });
    expect(directories('linux', set('/k//'))).toEqual(['/k', '/k']);
    expect(directories('linux', set('/'))).toEqual(['/', '/']);
    expect(directories('win32', set('C:\\k\\/'))).toEqual(['C:\\k', 'C:\\k']);
    expect(directories('win32', set('C:\\'))).toEqual(['C:\\', 'C:\\']);
  });
});
