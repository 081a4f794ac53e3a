import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, type TestContext, test } from 'vitest';
import { painter } from '../../src/system/terminal/capabilities';
import { type Home, openHome } from '../harness/homes/home';
import { inside } from '../harness/homes/in-process';

const posix = process.platform !== 'win32';

interface Opened {
  readonly home: Home;
  readonly file: string;
  /** Runs it and expects success without a word on stderr; resolves with stdout. */
  config(...args: string[]): Promise<string>;
}

/** Runs a test's body in a home of its own. */
const inHome =
  (body: (opened: Opened, context: TestContext) => Promise<void>) => async (context: TestContext) => {
    const home = openHome();
    const config = async (...args: string[]) => {
      const result = await home.gwtoken(['config', ...args]);
      expect(result).toMatchObject({ code: 0, stderr: '' });
      return result.stdout;
    };
    await body({ home, file: join(home.config, 'config.json'), config }, context);
  };

describe.concurrent('gwtoken config', () => {
  test(
    'path tells the file, by GWTOKEN_CONFIG_DIR, XDG_CONFIG_HOME if absolute, and the platform',
    inHome(async ({ home, file }, { skip }) => {
      skip(process.platform !== 'linux', 'needs Linux: its own folder');
      const path = async (env: Record<string, string>) =>
        (await home.gwtoken(['config', 'path'], { env })).stdout;
      expect(await path({})).toBe(`${file}\n`);
      expect(await path({ GWTOKEN_CONFIG_DIR: '/somewhere/else' })).toBe('/somewhere/else/config.json\n');
      for (const xdg of ['', 'relative'])
        expect(await path({ XDG_CONFIG_HOME: xdg })).toBe(
          `${home.env['HOME']}/.config/gwtoken/config.json\n`,
        );
    }),
  );

  test(
    'set, get, list, unset, and the file between them',
    inHome(async ({ file, config }) => {
      expect(await config('list')).toBe('');
      await config('set', 'region', 'eu');
      await config('set', 'sandbox', 'false');
      await config('set', 'auth-url', 'https://{region}.id.example.com');
      await config('set', 'timeout', '20s', '--profile', 'acme');
      await config('set', 'region', 'us', '-p', 'acme');

      expect(await config('get', 'region')).toBe('eu\n');
      expect(await config('get', 'region', '--profile', 'acme')).toBe('us\n');
      expect(await config('get', 'sandbox', '--profile', 'acme')).toBe('false\n');
      expect(await config('list')).toBe(
        'region = eu\nsandbox = false\nauth-url = https://{region}.id.example.com\n\n[profile acme]\ntimeout = 20s\nregion = us\n',
      );
      expect(await config('list', '--profile', 'acme')).toBe('[profile acme]\ntimeout = 20s\nregion = us\n');
      expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
        region: 'eu',
        sandbox: false,
        'auth-url': 'https://{region}.id.example.com',
        profiles: { acme: { timeout: '20s', region: 'us' } },
      });

      await config('unset', 'region');
      await config('unset', 'region');
      await config('unset', 'timeout', '-p', 'acme');
      await config('unset', 'region', '-p', 'acme');
      expect(await config('list')).toBe('sandbox = false\nauth-url = https://{region}.id.example.com\n');
      expect(readFileSync(file, 'utf8')).toBe(
        '{\n  "sandbox": false,\n  "auth-url": "https://{region}.id.example.com"\n}\n',
      );
    }),
  );

  test(
    'get follows the current profile, and set warns where that one hides the value',
    inHome(async ({ home, config }) => {
      await config('set', 'profile', 'acme');
      await config('set', 'retries', '5', '-p', 'acme');
      const hidden = await home.gwtoken(['config', 'set', 'retries', '1']);
      expect(hidden).toMatchObject({ code: 0, stdout: '' });
      expect(hidden.stderr).toBe(
        'gwtoken: warning: profile acme sets retries = 5, which overrides this\nhint: to remove that, run: gwtoken config unset retries --profile acme\n',
      );
      expect(await config('get', 'retries')).toBe('5\n');
      expect(await config('get', 'retries', '-p', 'default')).toBe('1\n');
    }),
  );

  test(
    'an unknown key in the file is an error everywhere but where it is mended',
    inHome(async ({ home, config }) => {
      home.configure({ regoin: 'eu', retries: 1 });
      expect((await home.gwtoken(['get'])).code).toBe(2);
      expect(await config('list')).toBe('regoin = eu\nretries = 1\n');
      await config('unset', 'regoin');
      expect(await config('list')).toBe('retries = 1\n');
    }),
  );

  test(
    'the folder is for its owner alone, and so is the file',
    inHome(async ({ home, file, config }, { skip }) => {
      skip(!posix, 'needs POSIX modes');
      await config('set', 'region', 'eu');
      const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
      expect([mode(home.config), mode(file)]).toEqual(['700', '600']);
    }),
  );

  test(
    'a config.json that is a link stays one: dotfile managers keep the file elsewhere',
    inHome(async ({ home, file, config }, { skip }) => {
      skip(!posix, 'needs POSIX links');
      const dotfiles = join(home.dir, 'dotfiles');
      mkdirSync(dotfiles);
      mkdirSync(home.config, { recursive: true, mode: 0o700 });
      writeFileSync(join(dotfiles, 'gwtoken.json'), '{"region":"us"}', { mode: 0o600 });
      symlinkSync('../../dotfiles/gwtoken.json', file);
      await config('set', 'retries', '4');
      expect(lstatSync(file).isSymbolicLink()).toBe(true);
      expect(readlinkSync(file)).toBe('../../dotfiles/gwtoken.json');
      expect(JSON.parse(readFileSync(join(dotfiles, 'gwtoken.json'), 'utf8'))).toEqual({
        region: 'us',
        retries: 4,
      });
      expect(await config('get', 'region')).toBe('us\n');
    }),
  );

  test(
    'names that are properties of every object are names like others',
    inHome(async ({ home, file, config }) => {
      await config('set', 'region', 'us', '-p', 'constructor');
      expect(await config('get', 'region', '-p', 'constructor')).toBe('us\n');
      expect(await home.gwtoken(['config', 'get', 'region', '-p', 'tostring'])).toMatchObject({
        code: 2,
        stdout: '',
        stderr: `gwtoken: error: region is not set in ${file}\nhint: to set it, run: gwtoken config set region VALUE\n`,
      });
      await config('unset', 'region', '-p', 'constructor');
      expect(await config('list')).toBe('');
    }),
  );
});

test('get and set go by the profile in GWTOKEN_PROFILE too', async () => {
  const gw = inside();
  gw.configure({ retries: 1, profiles: { acme: { retries: 5 } } });
  gw.env = { GWTOKEN_PROFILE: 'acme' };
  expect(await gw.cli(['config', 'get', 'retries'])).toEqual({ code: 0, stdout: '5\n', stderr: '' });
  expect(await gw.cli(['config', 'set', 'retries', '2'])).toEqual({
    code: 0,
    stdout: '',
    stderr: `gwtoken: warning: profile acme sets retries = 5, which overrides this
hint: to remove that, run: gwtoken config unset retries --profile acme
`,
  });
  gw.own = { terminal: { paint: (stream: string) => painter({}, stream === 'stderr') } as never };
  expect((await gw.cli(['config', 'set', 'retries', '2'])).stderr).toContain(
    '\n\x1b[36mhint:\x1b[39m to remove',
  );
  // What was set for the profile itself is not overridden.
  expect(await gw.cli(['config', 'set', 'retries', '3', '--profile', 'acme'])).toMatchObject({ stderr: '' });
});

test('set has done its work also where the profile in use is none: it only warns', async () => {
  const gw = inside();
  const warning = (source: string) => ({
    code: 0,
    stdout: '',
    stderr: `gwtoken: warning: invalid profile name "Acme" (from ${source})\n`,
  });
  gw.env = { GWTOKEN_PROFILE: 'Acme' };
  expect(await gw.cli(['config', 'set', 'retries', '2'])).toEqual(warning('GWTOKEN_PROFILE'));
  // The one in use is that of the flag.
  const ofAcme = ['config', 'set', 'retries', '2', '--profile', 'acme'];
  expect(await gw.cli(ofAcme)).toEqual({ code: 0, stdout: '', stderr: '' });
  gw.env = {};
  gw.configure({ profile: 'Acme' });
  expect(await gw.cli(['config', 'set', 'retries', '3'])).toEqual(
    warning(`profile in ${join(gw.config, 'config.json')}`),
  );
  expect(await gw.cli(['config', 'set', 'profile', 'acme'])).toEqual({ code: 0, stdout: '', stderr: '' });
  expect((await gw.cli(['config', 'list'])).stdout).toBe('retries = 3\nprofile = acme\n');
});

test('a profile is listed alone where there are no general settings, and what it does not have is no error', async () => {
  const gw = inside();
  const file = { profiles: { acme: { retries: 5 } } };
  gw.configure(file);
  const [listed, silent] = ['[profile acme]\nretries = 5\n', ''].map((stdout) => ({
    code: 0,
    stdout,
    stderr: '',
  }));
  expect(await gw.cli(['config', 'list'])).toEqual(listed);
  expect(await gw.cli(['config', 'unset', 'retries', '--profile', 'other'])).toEqual(silent);
  // Which no profile can have.
  expect(await gw.cli(['config', 'unset', 'cache', '--profile', 'acme'])).toEqual(silent);
  // Which every object has.
  expect(await gw.cli(['config', 'unset', 'constructor'])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^gwtoken: error: unknown config key "constructor" /),
  });
  expect(JSON.parse(readFileSync(join(gw.config, 'config.json'), 'utf8'))).toEqual(file);
});

test('path tells where the file is also when it cannot be read', async () => {
  const gw = inside();
  gw.configure('{');
  expect(await gw.cli(['config', 'path'])).toEqual({
    code: 0,
    stdout: `${join(gw.config, 'config.json')}\n`,
    stderr: '',
  });
});

test('list, set and unset refuse a profile that cannot be one, and write nothing', async () => {
  const gw = inside();
  for (const args of [['list'], ['set', 'retries', '1'], ['unset', 'retries']])
    expect([args, await gw.cli(['config', ...args, '--profile', 'Acme'])]).toEqual([
      args,
      {
        code: 2,
        stdout: '',
        stderr: `gwtoken: error: invalid profile name "Acme" (from --profile)
hint: did you mean acme?
hint: use 1 to 64 of a-z, 0-9, ".", "_" and "-", starting with a letter or digit
`,
      },
    ]);
  expect(existsSync(join(gw.config, 'config.json'))).toBe(false);
});
