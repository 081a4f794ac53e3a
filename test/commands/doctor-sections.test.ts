/** doctor's verdict, its sections and its exit code: in this process. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { failure } from '../../src/errors';
import { Interrupted } from '../../src/signals';
import { keychainError } from '../../src/system/keychain/errors';
import type { Keychain, PostForm } from '../../src/world';
import { noting } from '../documents/grammar';
import { inVariables } from '../harness/homes/client';
import { type Inside, inside } from '../harness/homes/in-process';
import { parseDoctor } from './reports';

const A = 'https://a.example.com';
const B = 'https://b.example.com';
let gw: Inside;
let probes: number;
beforeEach(() => {
  gw = inside();
  gw.env = {};
  probes = 0;
  setKeychain(async () => 'keytar 1');
});

/** The keychain of the test's list, whose round trip is this. */
function setKeychain(probe: Keychain['probe']): void {
  const keychain: Keychain = {
    ...gw.keychain,
    probe: () => {
      probes++;
      return probe();
    },
  };
  gw.own = { ...gw.own, keychain };
}

async function login(...flags: string[]): Promise<void> {
  await gw.login({ authUrl: A, flags: ['--no-verify', ...flags] });
}

/** Runs doctor; its checks that are not fine, as `section, name: message`, with the exit code first. */
async function problems(...flags: string[]): Promise<unknown[]> {
  const { code, stdout } = await gw.cli(['doctor', '--json', ...flags]);
  const { checks, exit_code } = parseDoctor(stdout);
  expect(exit_code).toBe(code);
  const bad = checks.filter(({ result }) => result === 'failed' || result === 'warning');
  return [code, ...bad.map(({ section, name, message }) => `${section}, ${name}: ${message}`)];
}
/** What it shows, a line each, with the config file's path as FILE. */
async function shown(...flags: string[]): Promise<string[]> {
  const { stdout } = await gw.cli(['doctor', ...flags]);
  return stdout.replaceAll(join(gw.config, 'config.json'), 'FILE').trimEnd().split('\n');
}

describe('doctor says whether get works:', () => {
  test('it does, a line for each section', async () => {
    await login();
    expect(await shown()).toEqual([
      expect.stringMatching(/^ok {3}gwtoken {16}0\.0\.0, /),
      'ok   settings               region eu (region in FILE)',
      `ok   directories            ${gw.config}, ${gw.cache}`,
      'ok   keychain               keytar 1',
      'ok   default:production:eu  credentials accepted, token valid for 1 h',
      '',
      'ok   get works for default:production:eu',
    ]);
    expect(gw.posts).toHaveLength(1);
    expect(JSON.parse((await gw.cli(['doctor', '--json'])).stdout)).toMatchObject({ version: '0.0.0' });
  });

  // Each of these got "All checks passed." and 0, or a failure that was none.
  test('the endpoint refuses the stored credentials', async () => {
    await login();
    gw.answer = () => ({ status: 401, body: { error: 'invalid_client' } });
    const said = `${A}/oauth2/token rejected the credentials (HTTP 401, invalid_client)`;
    expect(await problems()).toEqual([3, `default:production:eu, token: ${said}`]);
    expect((await gw.cli(['doctor'])).stderr).toBe(
      'gwtoken: error: get does not work: 1 check failed (see above)\n',
    );
    const { checks } = parseDoctor((await gw.cli(['doctor', '--json'])).stdout);
    const hints = [...(await gw.cli(['get'])).stderr.matchAll(/^hint: (.*)$/gm)].map(([, hint]) => hint);
    expect(checks.find(({ name }) => name === 'token')).toMatchObject({ message: said, hints });
  });

  test('the stored credentials are for another auth URL', async () => {
    await login();
    gw.configure({ region: 'eu', 'auth-url.eu': B });
    expect(await problems()).toEqual([2, expect.stringContaining('default:production:eu, credentials: ')]);
    expect(gw.posts).toEqual([]);
  });

  test('a region without a client is not looked at', async () => {
    await login();
    gw.configure({ region: 'eu', 'auth-url.eu': A, 'auth-url.us': 'https://us.invalid' });
    expect(await problems()).toEqual([0]);
  });

  test('a config file that cannot be read has no consequences that are failures too', async () => {
    await login();
    gw.configure('{');
    expect(await problems()).toEqual([
      2,
      expect.stringMatching(/^settings, config file: .* invalid JSON \(line 1\)$/),
    ]);
  });

  test('nothing is set up yet', async () => {
    expect(await problems()).toEqual([2, 'settings, client: no region set']);
    expect((await shown()).slice(1, 4)).toEqual([
      'FAIL settings',
      '  FAIL client: no region set',
      expect.stringMatching(/^ {4}hint: .*gwtoken login$/),
    ]);
  });

  test('it works for the selected client, but another one is refused', async () => {
    await login();
    await login('--region', 'us', '--client-id', 'other');
    gw.answer = (post) =>
      post % 2 === 0
        ? { status: 401, body: { error: 'invalid_client' } }
        : { body: { access_token: 'token', token_type: 'Bearer' } };
    expect(await problems()).toEqual([3, expect.stringContaining('default:production:us, token: ')]);
    expect((await gw.cli(['doctor'])).stderr).toBe(
      'gwtoken: error: get works for default:production:eu, but 1 check failed (see above)\n',
    );
  });

  test('tokens do not last as long as min-ttl demands', async () => {
    await login();
    expect(await problems('--min-ttl', '1h')).toEqual([
      7,
      expect.stringContaining('default:production:eu, token: '),
    ]);
  });

  test('credentials in variables are sent for the selected client, and to no other endpoint', async () => {
    await login();
    await gw.login({ region: 'us', authUrl: B, flags: ['--no-verify'] });
    gw.env = inVariables(A);
    expect((await shown()).find((line) => line.includes('us'))).toBe(
      'skip default:production:us  GWTOKEN_CLIENT_ID and GWTOKEN_CLIENT_SECRET would be used; to try them, run: gwtoken doctor --region us',
    );
    expect(gw.posts).toHaveLength(1);
    gw.env = { GWTOKEN_CLIENT_ID_US: 'of-us', GWTOKEN_CLIENT_SECRET_US: 'secret' };
    await problems();
    expect(gw.posts.slice(1).map(({ form }) => form.get('client_id'))).toEqual(['client', 'of-us']);
  });

  test('a variable that only looks like one of its own is named, by --verbose too', async () => {
    gw.env = { ...inVariables(A), GWTOKEN_REGOIN: 'us', EU_ACCESS_TOKEN: 'x', GWTOKEN_SCOPE: 'x' };
    const message = 'GWTOKEN_REGOIN: gwtoken reads no variable of this name';
    expect(await problems()).toEqual([0, `environment, ${message}`]);
    expect(await shown()).toContain('    hint: did you mean: GWTOKEN_REGION');
    expect((await gw.cli(['get', '--verbose'])).stderr).toContain(`gwtoken: ${message}\n`);
  });

  test('a warning is no failure', async () => {
    await login();
    gw.env = { ...inVariables(A), SSL_CERT_FILE: '/no/such/file' };
    expect(await problems()).toEqual([
      0,
      'environment, SSL_CERT_FILE: /no/such/file cannot be read (ENOENT)',
      'default:production:eu, credentials: GWTOKEN_CLIENT_ID and GWTOKEN_CLIENT_SECRET override the stored credentials',
    ]);
    expect((await shown()).at(-1)).toBe('ok   get works for default:production:eu');
  });
});

describe('doctor shows a failure once:', () => {
  test('a locked keychain, and not for each client', async () => {
    await login();
    await login('--profile', 'acme');
    setKeychain(() => Promise.reject(keychainError('locked', 'linux')));
    expect(await problems()).toEqual([5, 'keychain, round trip: the keychain is locked']);
    expect((await shown()).slice(-2)).toEqual([
      'skip default:production:eu  the keychain cannot be used (see above)',
      'skip acme:production:eu     the keychain cannot be used (see above)',
    ]);
  });

  test('an endpoint that cannot be reached, which two clients share', async () => {
    await login();
    await login('--profile', 'acme');
    const postForm: PostForm = (_, { onProgress }) => {
      onProgress?.({ waitingFor: 'connect', addresses: ['192.0.2.1'] });
      gw.posts.push({ atMs: 0, form: new URLSearchParams() });
      return Promise.reject(failure('unreached', 'could not reach it', 'a hint', 'another'));
    };
    gw.own = { ...gw.own, postForm };
    expect(await problems('--retries', '0')).toEqual([6, 'default:production:eu, TCP: could not reach it']);
    expect(gw.posts).toHaveLength(1);
    const lines = await shown('--retries', '0');
    expect(lines.slice(-4)).toEqual([
      'FAIL default:production:eu',
      '  FAIL TCP: could not reach it',
      '    hint: a hint',
      'skip acme:production:eu     the endpoint failed for default:production:eu',
    ]);
    const all = await shown('--verbose', '--retries', '0');
    expect(all.filter((line) => line.includes('hint:'))).toHaveLength(2);
  });

  test('but one of each request: two clients of an endpoint that answers 500 are two failures', async () => {
    await login();
    await login('--profile', 'acme');
    gw.answer = () => ({ status: 500, body: {} });
    expect((await problems('--retries', '0')).slice(1)).toEqual([
      expect.stringMatching(/^default:production:eu, token: .*500/),
      expect.stringMatching(/^acme:production:eu, token: .*500/),
    ]);
    expect(await shown('--retries', '0')).not.toContainEqual(expect.stringMatching(/^ok {3}acme/));
  });

  test('every bad setting, each with its source', async () => {
    await login();
    gw.env = { GWTOKEN_MIN_TTL: 'x', GWTOKEN_PROFILE: 'Acme', GWTOKEN_KEYCHAIN_TIMEOUT: '0' };
    expect(await problems('--timeout', '0', '--retries', 'many')).toEqual([
      2,
      'settings, profile: invalid profile name "Acme" (from GWTOKEN_PROFILE)',
      'settings, min-ttl: invalid duration "x" (from GWTOKEN_MIN_TTL)',
      'settings, timeout: invalid timeout "0" (from --timeout)',
      expect.stringMatching(/^settings, retries: .*"many"/),
      'settings, keychain-timeout: invalid timeout "0" (from GWTOKEN_KEYCHAIN_TIMEOUT)',
    ]);
  });
});

test('doctor --verbose shows the settings of the profile with their sources', async () => {
  const acme = { region: 'us', 'auth-url': A, timeout: '3s' };
  gw.configure({ timeout: '9s', profiles: { acme } });
  const lines = await shown('--verbose', '--profile', 'acme');
  expect(lines.filter((line) => / (profile|region|timeout|auth URL|retries) /.test(line))).toEqual([
    '  ok   profile             acme (--profile)',
    '  ok   region              us (region of profile acme in FILE)',
    '  ok   timeout             3 s (timeout of profile acme in FILE)',
    '  ok   retries             2 (default)',
  ]);
});

test('doctor tells of an unreadable list of stored clients', async () => {
  gw.configure({});
  writeFileSync(join(gw.config, 'clients.json'), '{', { mode: 0o600 });
  expect(await problems()).toEqual([
    2,
    expect.stringMatching(/^settings, client: .* invalid JSON \(line 1\)$/),
  ]);
});

describe('doctor and the keychain:', () => {
  test('it is left alone if no client needs it', async () => {
    gw.env = inVariables(A);
    expect(await problems()).toEqual([0]);
    gw.own = { ...gw.own, runCredentialCommand: async () => ({ how: 'late' }) };
    const command = { region: 'eu', 'auth-url': A, 'credential-command': 'pass show a' };
    gw.configure({ profiles: { acme: command } });
    expect(await problems('--profile', 'acme')).toEqual([5, expect.stringContaining('credentials: ')]);
    expect(probes).toBe(0);
  });

  test('a Ctrl-C at its dialog ends doctor, under a spinner', async () => {
    const interrupted = new Interrupted('SIGINT');
    const labels: string[] = [];
    setKeychain(() => Promise.reject(interrupted));
    gw.own = { ...gw.own, terminal: noting(labels) as never };
    await expect(gw.cli(['doctor'])).rejects.toBe(interrupted);
    expect(labels).toEqual(['checking the keychain']);
  });
});
