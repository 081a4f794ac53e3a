/** Installs the packed tarball into an empty prefix and uses it from there. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join, sep } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { CLIENT, type IdentityServer, startIdentityServer } from '../harness/endpoints/identity-server';
import { inVariables, loginArgs } from '../harness/homes/client';
import { openDirectory } from '../harness/homes/directory';
import { filesBelow } from '../harness/homes/files';
import { openHome } from '../harness/homes/home';
import { startKeyring } from '../harness/keyrings/keyring';
import { runCommand } from '../harness/programs/program';
import { ROOT } from '../harness/root';

/** The published files beside dist/. */
const PUBLISHED = ['LICENSE', 'README.md', 'package.json'];

const WINDOWS = process.platform === 'win32';
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

const dir = openDirectory();
const tarball = join(dir, `gwtoken-${manifest.version}.tgz`);
/** The package installed with all dependencies, and without keytar. */
let whole: ReturnType<typeof install>;
let withoutOptional: typeof whole;
let identity: IdentityServer;

beforeAll(async () => {
  identity = await startIdentityServer();
  // Packs the existing dist/: a new build would remove it while other tests use it.
  npm('pack', '--ignore-scripts', '--pack-destination', dir);
  whole = install('whole', '--global');
  // Installs locally, because npm ignores --omit for a global install of a tarball (npm/cli#8284).
  withoutOptional = install('without-optional', '--omit=optional');
}, 300_000);

/** Runs npm in this repository with the developer's environment, which may name a registry or a proxy. */
const npm = (...args: string[]) =>
  execFileSync('npm', args, { cwd: ROOT, stdio: 'pipe', timeout: 120_000, shell: WINDOWS });

function install(name: string, option: '--global' | '--omit=optional') {
  const prefix = join(dir, name);
  // `npm ci` has stored keytar in npm's cache, so that the registry is rarely needed.
  npm('install', option, '--prefix', prefix, '--prefer-offline', '--no-audit', '--no-fund', tarball);
  const global = option === '--global';
  const bin = global ? (WINDOWS ? '' : 'bin') : join('node_modules', '.bin');
  const program = join(prefix, bin, WINDOWS ? 'gwtoken.cmd' : 'gwtoken');
  return {
    directory: join(prefix, global && !WINDOWS ? 'lib' : '', 'node_modules', 'gwtoken'),
    // The first line of the program searches PATH for `node`, which must be the tested one.
    run: (args: readonly string[], env: Readonly<Record<string, string>>, stdin = '') =>
      runCommand([WINDOWS ? `"${program}"` : program, ...args], {
        env: { ...env, PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter) },
        stdin,
        shell: WINDOWS,
      }),
  };
}

const login = (installed: typeof whole, env: Readonly<Record<string, string>>) =>
  installed.run(loginArgs({ authUrl: identity.authUrl }), env, CLIENT.clientSecret);

describe('the packed tarball', () => {
  const shipped = () =>
    [...filesBelow(whole.directory)].filter(([name]) => !name.startsWith('node_modules/'));

  test('contains exactly the files to publish', () => {
    const names = shipped().map(([name]) => name);
    expect(names.filter((name) => !name.startsWith('dist/')).sort()).toEqual(PUBLISHED);
    const built = readdirSync(join(ROOT, 'dist'));
    expect(built).toContain('gwtoken.cjs');
    expect(names.filter((name) => name.startsWith('dist/')).sort()).toEqual(
      built.map((name) => `dist/${name}`).sort(),
    );
    const { arch, version } = process;
    for (const name of built)
      if (!name.includes(`.cjs.${version}-`) || !name.includes(`-${arch}-`))
        expect(name).toMatch(/^([\w-]+\.cjs|THIRD-PARTY-NOTICES\.txt|gwtoken\.1)$/);
    expect(statSync(tarball).size).toBeLessThan(1_200_000);
  });

  test('installs its man page', ({ needs }) => {
    needs('posix');
    const installed = readFileSync(join(dir, 'whole', 'share', 'man', 'man1', 'gwtoken.1'), 'utf8');
    expect(installed).toBe(readFileSync(join(ROOT, 'dist', 'gwtoken.1'), 'utf8'));
  });

  test('contains no path of the machine that built it', () => {
    // Skips a home of `/`, as in some containers: every text contains it.
    const places = [ROOT, homedir()].filter((place) => place.length > 1);
    for (const [name, content] of shipped())
      for (const words of [...places.map((place) => `${place}${sep}`), 'sourceMappingURL'])
        expect(content.includes(words), `${name} has ${words}`).toBe(false);
  });

  test('depends only on keytar, which is optional', () => {
    expect(Object.keys(manifest.dependencies ?? {})).toEqual([]);
    expect(Object.keys(manifest.optionalDependencies)).toEqual(['keytar']);
    expect(readdirSync(join(whole.directory, 'node_modules'))).toContain('keytar');
    expect(existsSync(join(withoutOptional.directory, 'node_modules'))).toBe(false);
    const beside = readdirSync(dirname(withoutOptional.directory)).filter((name) => !name.startsWith('.'));
    expect(beside).toEqual(['gwtoken']);
  });
});

describe('the installed package', () => {
  test('gets a token with variables, also without the keychain module', async () => {
    for (const installed of [whole, withoutOptional]) {
      const home = openHome();
      const version = await installed.run(['--version'], home.env);
      expect(version).toMatchObject({ code: 0, stdout: `${manifest.version}\n`, stderr: '' });
      expect([...filesBelow(home.dir).keys()]).toEqual([]);
      const get = await installed.run(['get'], { ...home.env, ...inVariables(identity.authUrl) });
      expect(get).toMatchObject({ code: 0, stdout: `${identity.issued.at(-1)}\n`, stderr: '' });
    }
  });

  test('logs in and gets a token with the keychain', async ({ needs }) => {
    needs('keyring');
    const { env } = await startKeyring({ state: 'unlocked' });
    expect(await login(whole, env)).toMatchObject({ code: 0, stdout: '' });
    const get = await whole.run(['get'], env);
    expect(get).toMatchObject({ code: 0, stdout: `${identity.issued.at(-1)}\n`, stderr: '' });
  });

  test('says how to install the keychain module if login needs it', async () => {
    const home = openHome();
    const asked = identity.requests.length;
    const bus = { DBUS_SESSION_BUS_ADDRESS: `unix:path=${home.dir}` };
    const refused = await login(withoutOptional, { ...home.env, ...bus });
    expect(refused).toMatchObject({ code: 5, stdout: '' });
    expect(refused.stderr).toMatch(/^gwtoken: error: [\s\S]*--omit=optional/);
    expect(identity.requests.length).toBe(asked);
    expect([...filesBelow(home.dir).keys()]).toEqual([]);
  });
});
