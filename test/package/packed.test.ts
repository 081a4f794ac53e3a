import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type IdentityServer, startIdentityServer } from '../harness/endpoints/identity-server';
import { keyringAvailable, startKeyring } from '../harness/keyrings/keyring';
import { filesBelow, freshHome, type Home, inherited, type ProgramResult } from '../harness/programs/program';
import { ROOT } from '../harness/root';

/** What is published beside dist/. A file more or less must be meant. */
const PUBLISHED = ['LICENSE', 'README.md', 'package.json'];

const WINDOWS = process.platform === 'win32';
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
const client = { clientId: 'eu-client', clientSecret: 'eu-secret+/=&' };

/** The package as a user installs it: with everything, and as `--omit=optional` or an odd platform leaves it. */
interface Installed {
  readonly folder: string;
  run(args: readonly string[], env: Readonly<Record<string, string>>, stdin?: string): Promise<ProgramResult>;
}
let dir: string;
let whole: Installed;
let withoutOptional: Installed;
let identity: IdentityServer;

beforeAll(async () => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'gwtoken-packed-')));
  identity = await startIdentityServer({ region: 'eu', clients: [client] });
  // What prepare.mjs has built is packed: another build now would take dist/ away from the other tests.
  npm(['pack', '--ignore-scripts', '--pack-destination', dir]);
  const [tarball] = readdirSync(dir);
  whole = install('whole', join(dir, tarball!), '--global');
  // Not global: npm ignores --omit for a global install of a tarball (npm/cli#8284).
  withoutOptional = install('without-optional', join(dir, tarball!), '--omit=optional');
}, 300_000);
afterAll(async () => {
  await identity?.close();
  rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
});

/** npm has the developer's own environment, for the sake of a registry or a proxy; gwtoken then has none of it. */
function npm(args: readonly string[]): void {
  const ours = process.env['npm_execpath'];
  const options = { cwd: ROOT, stdio: 'pipe', timeout: 120_000 } as const;
  if (ours !== undefined && basename(ours) === 'npm-cli.js') {
    execFileSync(process.execPath, [ours, ...args], options);
  } else {
    execFileSync(WINDOWS ? 'npm.cmd' : 'npm', [...args], { ...options, shell: WINDOWS });
  }
}

function install(name: string, tarball: string, option: '--global' | '--omit=optional'): Installed {
  const prefix = join(dir, name);
  // `npm ci` has left keytar in npm's cache: where it still is, a slow registry is no matter.
  npm(['install', option, '--prefix', prefix, '--prefer-offline', '--no-audit', '--no-fund', tarball]);
  const global = option === '--global';
  const bin = global ? (WINDOWS ? '' : 'bin') : join('node_modules', '.bin');
  const program = join(prefix, bin, WINDOWS ? 'gwtoken.cmd' : 'gwtoken');
  return {
    folder: join(prefix, global && !WINDOWS ? 'lib' : '', 'node_modules', 'gwtoken'),
    run: (args, env, stdin = '') => run(program, args, env, stdin),
  };
}

function run(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  stdin: string,
): Promise<ProgramResult> {
  const started = performance.now();
  // The program's first line looks for `node` on PATH: it should be this one.
  const path = [dirname(process.execPath), process.env['PATH']].join(delimiter);
  const child = spawn(WINDOWS ? `"${program}"` : program, [...args], {
    env: { ...inherited(), ...env, PATH: path },
    shell: WINDOWS,
  });
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk;
    });
  }
  child.stdin.on('error', () => {});
  child.stdin.end(stdin);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) =>
      resolve({ code, signal, ...text, ms: performance.now() - started }),
    );
  });
}

const loginArgs = () => [
  'login',
  ...['--region', 'eu', '--auth-url', identity.authUrl, '--client-id', client.clientId, '--secret-stdin'],
];
const variables = () => ({
  GWTOKEN_REGION: 'eu',
  GWTOKEN_AUTH_URL: identity.authUrl,
  GWTOKEN_CLIENT_ID: client.clientId,
  GWTOKEN_CLIENT_SECRET: client.clientSecret,
});

describe('the packed tarball', () => {
  const shipped = () => [...filesBelow(whole.folder)].filter(([name]) => !name.startsWith('node_modules/'));

  test('holds what is meant to be published, and nothing else', () => {
    const names = shipped().map(([name]) => name);
    expect(names.filter((name) => !name.startsWith('dist/')).sort()).toEqual(PUBLISHED);
    const built = readdirSync(join(ROOT, 'dist'));
    expect(built).toContain('gwtoken.cjs');
    expect(names.filter((name) => name.startsWith('dist/')).sort()).toEqual(
      built.map((name) => `dist/${name}`).sort(),
    );
    for (const name of built) expect(name).toMatch(/^([\w.-]+\.cjs|THIRD-PARTY-NOTICES\.txt|gwtoken\.1)$/);
  });

  test('installs its man page', ({ skip }) => {
    skip(WINDOWS, 'needs a POSIX system');
    const installed = readFileSync(join(dir, 'whole', 'share', 'man', 'man1', 'gwtoken.1'), 'utf8');
    expect(installed).toBe(readFileSync(join(ROOT, 'dist', 'gwtoken.1'), 'utf8'));
  });

  test('says nothing of the machine that built it', () => {
    // A home of `/` (some containers have it) is in every text.
    const places = [ROOT, homedir()].filter((place) => place.length > 1);
    const slashes = (text: string) => text.replace(/\\+/g, '/');
    for (const [name, content] of shipped()) {
      const text = content.toString('utf8');
      for (const place of places) {
        expect(slashes(text).includes(`${slashes(place)}/`), `${name} names ${place}`).toBe(false);
      }
      expect(text, name).not.toContain('sourceMappingURL');
    }
  });

  test('brings keytar along, and no other package with --omit=optional', () => {
    expect(readdirSync(join(whole.folder, 'node_modules'))).toContain('keytar');
    expect(existsSync(join(withoutOptional.folder, 'node_modules'))).toBe(false);
    const beside = readdirSync(dirname(withoutOptional.folder)).filter((name) => !name.startsWith('.'));
    expect(beside).toEqual(['gwtoken']);
  });
});

describe('installed from it, in an empty home', () => {
  const homes: Home[] = [];
  const emptyHome = (): Home => {
    const home = freshHome();
    homes.push(home);
    return home;
  };
  afterEach(() => {
    for (const home of homes.splice(0)) home.remove();
  });

  test('gwtoken tells its version', async () => {
    for (const installed of [whole, withoutOptional]) {
      const home = emptyHome();
      expect(await installed.run(['--version'], home.env)).toMatchObject({
        code: 0,
        stdout: `${version}\n`,
        stderr: '',
      });
      expect([...filesBelow(home.dir).keys()]).toEqual([]);
    }
  });

  test('login stores in the keychain, and get fetches with what it stored', async ({ skip }) => {
    const reason = keyringAvailable();
    skip(reason !== undefined, reason);
    const keyring = await startKeyring({ state: 'unlocked' });
    try {
      const login = await whole.run(loginArgs(), keyring.env, client.clientSecret);
      expect(login).toMatchObject({ code: 0, stdout: '' });
      expect(login.stderr).toContain('Stored the credentials of default:production:eu in the keychain');
      expect(JSON.parse((await keyring.lookup('default:production:eu')) ?? '')).toEqual({
        client_id: client.clientId,
        client_secret: client.clientSecret,
        auth_url: identity.authUrl,
      });
      const get = await whole.run(['get'], keyring.env);
      expect(get).toMatchObject({ code: 0, stderr: '' });
      expect(identity.issued).toContain(get.stdout.trimEnd());
    } finally {
      await keyring.stop();
    }
  });

  test('get fetches with variables, also without the keychain module', async () => {
    for (const installed of [whole, withoutOptional]) {
      const home = emptyHome();
      const get = await installed.run(['get'], { ...home.env, ...variables() });
      expect(get).toMatchObject({ code: 0, stderr: '' });
      expect(get.stdout).toBe(`${identity.issued.at(-1)}\n`);
    }
  });

  test('login without the keychain module says how to get it, and asks for nothing', async () => {
    const home = emptyHome();
    const asked = identity.requests.length;
    const login = await withoutOptional.run(loginArgs(), home.env, client.clientSecret);
    expect(login).toMatchObject({ code: 5, stdout: '' });
    expect(login.stderr).toMatch(/^gwtoken: error: /);
    expect(login.stderr).toContain('--omit=optional');
    expect(identity.requests.length).toBe(asked);
    expect([...filesBelow(home.dir).keys()]).toEqual([]);
  });
});
