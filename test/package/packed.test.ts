/** Installs the packed tarball into an empty prefix and uses it from there. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join, sep } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { onCleanup } from '../harness/clean-up';
import { CLIENT, type IdentityServer, startIdentityServer } from '../harness/endpoints/identity-server';
import { inVariables, loginArgs } from '../harness/homes/client';
import { openDirectory } from '../harness/homes/directory';
import { filesBelow } from '../harness/homes/files';
import { openHome } from '../harness/homes/home';
import { runCommand } from '../harness/programs/program';
import { ROOT } from '../harness/root';

/** The published files beside dist/. */
const PUBLISHED = ['LICENSE', 'README.md', 'package.json'];

const WINDOWS = process.platform === 'win32';
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

const dir = openDirectory();
const tarball = join(dir, `gwtoken-${manifest.version}.tgz`);
/** Directory of the installed package. */
const installed = join(dir, 'prefix', WINDOWS ? '' : 'lib', 'node_modules', 'gwtoken');
let identity: IdentityServer;

beforeAll(async () => {
  identity = await startIdentityServer();
  // Packs the existing dist/: a new build would remove it while other tests use it.
  npm('pack', '--ignore-scripts', '--pack-destination', dir);
  // `npm ci` has stored keytar in npm's cache, so that the registry is rarely needed.
  const quietly = ['--prefer-offline', '--no-audit', '--no-fund'];
  npm('install', '--global', '--prefix', join(dir, 'prefix'), ...quietly, tarball);
}, 300_000);

/** Runs npm in this repository with the developer's environment, which may name a registry or a proxy. */
const npm = (...args: string[]) =>
  execFileSync('npm', args, { cwd: ROOT, stdio: 'pipe', timeout: 120_000, shell: WINDOWS });

/** Runs the installed program. */
function run(args: readonly string[], env: Readonly<Record<string, string>>) {
  const program = join(dir, 'prefix', WINDOWS ? 'gwtoken.cmd' : join('bin', 'gwtoken'));
  return runCommand([WINDOWS ? `"${program}"` : program, ...args], {
    // The first line of the program searches PATH for `node`, which must be the tested one.
    env: { ...env, PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter) },
    stdin: CLIENT.clientSecret,
    shell: WINDOWS,
  });
}

describe('the packed tarball', () => {
  const shipped = () => [...filesBelow(installed)].filter(([name]) => !name.startsWith('node_modules/'));

  test('contains exactly the files to publish', () => {
    const names = shipped().map(([name]) => name);
    expect(names.filter((name) => !name.startsWith('dist/')).sort()).toEqual(PUBLISHED);
    const built = readdirSync(join(ROOT, 'dist'));
    expect(built).toContain('gwtoken.cjs');
    expect(names.filter((name) => name.startsWith('dist/')).sort()).toEqual(
      built.map((name) => `dist/${name}`).sort(),
    );
    for (const name of built) expect(name).toMatch(/^([\w-]+\.cjs|THIRD-PARTY-NOTICES\.txt|gwtoken\.1)$/);
    expect(statSync(tarball).size).toBeLessThan(1_200_000);
  });

  test('installs its man page', ({ needs }) => {
    needs('posix');
    const installed = readFileSync(join(dir, 'prefix', 'share', 'man', 'man1', 'gwtoken.1'), 'utf8');
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
    expect(readdirSync(join(installed, 'node_modules'))).toContain('keytar');
    expect(readdirSync(dirname(installed)).filter((name) => !name.startsWith('.'))).toEqual(['gwtoken']);
  });
});

describe('the installed package', () => {
  test('prints its version and gets a token with variables', async () => {
    const home = openHome();
    const version = await run(['--version'], home.env);
    expect(version).toMatchObject({ code: 0, stdout: `${manifest.version}\n`, stderr: '' });
    expect([...filesBelow(home.dir).keys()]).toEqual([]);
    const get = await run(['get'], { ...home.env, ...inVariables(identity.authUrl) });
    expect(get).toMatchObject({ code: 0, stdout: `${identity.issued.at(-1)}\n`, stderr: '' });
  });

  test('login says how to install keytar if npm left it out', async () => {
    const home = openHome();
    const bus = { DBUS_SESSION_BUS_ADDRESS: `unix:path=${home.dir}` };
    const login = async () => {
      const { code, stdout, stderr } = await run(loginArgs({ authUrl: identity.authUrl }), {
        ...home.env,
        ...bus,
      });
      expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
      return stderr;
    };
    const asked = identity.requests.length;
    // Elsewhere, keytar would open the keychain of the person who runs the tests. On this bus, nobody answers.
    if (process.platform === 'linux') expect(await login()).toMatch(/^gwtoken: error: (?!.*keytar)/);
    const [modules, leftOut] = [join(installed, 'node_modules'), join(dir, 'left-out')];
    renameSync(modules, leftOut);
    onCleanup(() => renameSync(leftOut, modules));
    expect(await login()).toMatch(/^gwtoken: error: [\s\S]*--omit=optional/);
    expect(identity.requests.length).toBe(asked);
    expect([...filesBelow(home.dir).keys()]).toEqual([]);
  });
});
