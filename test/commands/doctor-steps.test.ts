/** The steps of doctor, the failures that end it, and its notes on a cached token. */
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { variableChecks } from '../../src/commands/doctor/checks';
import { GwtokenError } from '../../src/errors';
import type { ConnectionProgress, FormReply, PostForm } from '../../src/post-form';
import { keychainError } from '../../src/system/keychain/errors';
import { inVariables } from '../harness/homes/client';
import { type Inside, inside, jsonReply } from '../harness/homes/in-process';
import { checksFrom, parseDoctor } from './doctor-report';

const AUTH_URL = 'https://a.example.com';
const DAY_MS = 86_400_000;
let gw: Inside;
beforeEach(() => {
  gw = inside();
  gw.env = {};
});

const login = () => gw.login({ authUrl: AUTH_URL, flags: ['--no-verify'] });

/** Runs doctor. Returns its exit code, and `first` and all later steps, each as `result name: message`. */
async function stepsFrom(first: string, ...flags: string[]): Promise<{ code: number; steps: string[] }> {
  const { code, stdout } = await gw.cli(['doctor', '--json', ...flags]);
  const { checks, exit_code } = parseDoctor(stdout);
  expect(exit_code).toBe(code);
  return { code, steps: checksFrom(first, checks) };
}
/** Runs doctor. Returns its last step. */
const lastStep = async (...flags: string[]) => (await stepsFrom('settings', ...flags)).steps.at(-1);

/** Replaces the connection by one that makes this progress and then returns a token. */
function answerAfter(progress: Partial<ConnectionProgress>, answer: { tookMs: number; date: string }): void {
  connect(progress, () => {
    gw.nowMs += answer.tookMs;
    const reply = jsonReply(200, { access_token: 'token', token_type: 'Bearer', expires_in: 3600 });
    return { ...reply, headers: new Headers({ 'content-type': 'application/json', date: answer.date }) };
  });
}
/** Replaces the connection by one that makes this progress and then fails. */
function failAfter(progress: Partial<ConnectionProgress>): void {
  connect(progress, () => {
    throw new GwtokenError('unreached', 'it failed', { reason: 'outage' });
  });
}
function connect(progress: Partial<ConnectionProgress>, end: () => FormReply): void {
  const postForm: PostForm = async (url, { onProgress }) => {
    gw.posts.push({ url, atMs: gw.nowMs, form: new URLSearchParams() });
    onProgress?.(progress);
    return end();
  };
  gw.own = { ...gw.own, postForm };
}

/** Returns the facts of a certificate with this time left. */
const tls = (leftMs: number) => ({
  subject: 'a',
  issuer: 'b',
  validToMs: gw.nowMs + leftMs,
  trustedBy: undefined,
});
const RESOLVED = { addresses: ['192.0.2.1', '::1'] };

test('doctor reports each step of a successful request', async () => {
  await login();
  const date = new Date(gw.nowMs).toUTCString();
  answerAfter({ ...RESOLVED, waitingFor: 'body', tls: tls(89.5 * DAY_MS) }, { tookMs: 1, date });
  const { code, stdout, stderr } = await gw.cli(['doctor', '--timeout', '3s']);
  expect([code, stderr]).toEqual([0, '']);
  const file = `${gw.config}/config.json`;
  expect(stdout.split('\n').slice(1)).toEqual([
    'ok   variables         none misspelled',
    'ok   settings          default:production:eu',
    `ok   settings          region: eu (region in ${file})`,
    `ok   settings          auth URL: ${AUTH_URL} (stored client default:production:eu)`,
    'ok   settings          timeout: 3 s (--timeout)',
    `ok   config directory  ${gw.config}`,
    `ok   cache directory   ${gw.cache} (will be created)`,
    'ok   keychain          answered',
    'ok   credentials       keychain item gwtoken, default:production:eu',
    'ok   DNS               192.0.2.1, ::1',
    'ok   TLS               certificate of a by b, 89 days left',
    'ok   token request     token received, valid for 1 h',
    "ok   clock             agrees with the endpoint's",
    '',
  ]);
  expect([gw.posts.length, gw.keychainCalls]).toEqual([1, 1]);
});

describe('doctor ends at the first failure:', () => {
  test('a missing region, or an invalid config file', async () => {
    gw.env = { XDG_RUNTIME_DIR: '/run/user/1000' };
    const missing = 'failed settings: no client stored yet';
    expect(await stepsFrom('settings')).toEqual({ code: 2, steps: [missing] });
    gw.configure('{');
    const invalid = expect.stringMatching(/^failed settings: .* invalid JSON in line 1$/);
    expect(await stepsFrom('settings')).toEqual({ code: 2, steps: [invalid] });
  });

  test('an unreadable CA file, reported as a failed setting', async () => {
    await login();
    const error = new GwtokenError('usage', 'no CA', { reason: 'ca-file' });
    gw.own = { postForm: () => Promise.reject(error) };
    const failed = 'failed settings: no CA (from --ca-file)';
    expect(await stepsFrom('settings', '--ca-file', 'a.pem')).toEqual({ code: 2, steps: [failed] });
  });

  test('the keychain', async () => {
    await login();
    const get = () => Promise.reject(keychainError('locked'));
    gw.own = { keychain: { ...gw.keychain, get } };
    const failed = 'failed keychain: the keychain is locked';
    expect(await stepsFrom('keychain')).toEqual({ code: 5, steps: [failed] });
  });

  test('credentials for another auth URL', async () => {
    await login();
    expect(await stepsFrom('keychain', '--auth-url', 'https://b.example.com')).toEqual({
      code: 2,
      steps: ['ok keychain: answered', expect.stringMatching(/^failed credentials: .*; nothing was sent$/)],
    });
    expect(gw.posts).toEqual([]);
  });

  test('a credential command that fails', async () => {
    gw.env = { GWTOKEN_REGION: 'eu', GWTOKEN_AUTH_URL: AUTH_URL };
    gw.configure({ 'credential-command': 'pass show it' });
    gw.own = { runCredentialCommand: async () => ({ how: 'exited', code: 7, stdout: Buffer.alloc(0) }) };
    const failed = /^failed credentials: the credential command exited with code 7 /;
    expect(await stepsFrom('credentials')).toEqual({ code: 5, steps: [expect.stringMatching(failed)] });
    expect(gw.posts).toEqual([]);
  });

  const DNS = 'ok DNS: 192.0.2.1, ::1';
  const proxy = 'p.test:3128';
  const DNS_OF_PROXY = `${DNS} of the proxy ${proxy}`;
  test.each<[failing: string, progress: Partial<ConnectionProgress>, before: string[]]>([
    ['DNS', { waitingFor: 'lookup' }, []],
    ['connection', { ...RESOLVED, waitingFor: 'connect' }, [DNS]],
    ['DNS', { peer: 'proxy', waitingFor: 'lookup', proxy }, []],
    ...(['connect', 'handshake', 'certificate', 'tunnel'] as const).map(
      (waitingFor): [string, Partial<ConnectionProgress>, string[]] => [
        'proxy',
        { ...RESOLVED, peer: 'proxy', waitingFor, proxy },
        [DNS_OF_PROXY],
      ],
    ),
    [
      'TLS',
      { ...RESOLVED, peer: 'endpoint', waitingFor: 'handshake', proxy },
      [DNS_OF_PROXY, `ok proxy: connected through ${proxy}`],
    ],
    ['TLS', { ...RESOLVED, waitingFor: 'certificate' }, [DNS]],
    ['token request', { ...RESOLVED, waitingFor: 'reply' }, [DNS]],
  ])('%s, with the progress %j', async (failing, progress, before) => {
    await login();
    failAfter(progress);
    expect(await stepsFrom('DNS', '--retries', '0')).toEqual({
      code: 6,
      steps: [...before, `failed ${failing}: it failed`],
    });
  });

  test('a certificate, with its remaining days if they are known', async () => {
    await login();
    failAfter({ ...RESOLVED, waitingFor: 'certificate', tls: tls(-1) });
    const expired = 'failed TLS: it failed (certificate of a by b, expired)';
    expect(await lastStep('--retries', '0')).toBe(expired);
  });

  test('a rejection, with the hints and the exit code of get', async () => {
    await login();
    gw.answer = () => ({ status: 401, body: { error: 'invalid_client' } });
    const { code, stdout, stderr } = await gw.cli(['doctor']);
    const get = (await gw.cli(['get'])).stderr;
    expect(get.replace('gwtoken: error: ', 'FAIL token request     ').replaceAll(/^hint/gm, '  hint')).toBe(
      stdout.slice(stdout.indexOf('FAIL')),
    );
    const error = 'gwtoken: error: cannot get a new token: token request failed (see above)\n';
    expect([code, stderr]).toEqual([3, error]);
    expect(gw.posts).toHaveLength(2);
  });
});

test('doctor ends without a report at a signal', async () => {
  await login();
  gw.own = { keychain: { ...gw.keychain, get: gw.interrupt } };
  expect(await gw.cli(['doctor'])).toEqual({ code: 130, stdout: '', stderr: '' });
});

describe('doctor reports that get still prints the cached token', () => {
  const WARNING = 'warning cache: get still prints the cached token, which is valid for';
  beforeEach(async () => {
    await login();
    await gw.get();
  });

  test('after any failure, until get would request a new one', async () => {
    gw.answer = () => ({ status: 401, body: { error: 'invalid_client' } });
    expect(await lastStep()).toBe(`${WARNING} 1 h more`);
    expect(await gw.get()).toBe('token-1');
    gw.nowMs += 3_400_000;
    expect(await lastStep()).toMatch(/^failed token request/);
    expect((await gw.cli(['get'])).code).toBe(3);
  });

  test('until its last 10 s in an outage, if flags permit it', async () => {
    gw.nowMs += 3_400_000;
    failAfter({ waitingFor: 'lookup' });
    expect(await lastStep('--retries', '0')).toBe(`${WARNING} 3 min 20 s more`);
    expect((await gw.cli(['get', '--retries', '0'])).stdout).toBe('token-1\n');
    for (const flags of [['--no-cache'], ['--min-ttl', '5m']])
      expect(await lastStep('--retries', '0', ...flags)).toBe('failed DNS: it failed');
    gw.nowMs += 195_000;
    expect(await lastStep('--retries', '0')).toBe('failed DNS: it failed');
  });
});

/** Runs doctor. Returns the step of this name with its hints. */
async function stepOf(name: string): Promise<string> {
  const { stdout } = await gw.cli(['doctor', '--json']);
  const { result, message, hints } = parseDoctor(stdout).checks.find((check) => check.name === name)!;
  return [`${result}: ${message}`, ...hints].join('; ');
}

test('doctor says which directory will be created', async () => {
  gw.env = inVariables(AUTH_URL);
  expect(await stepOf('config directory')).toBe(`ok: ${gw.config} (will be created)`);
});

describe('doctor warns of a cache directory', () => {
  let directory: string;
  beforeEach(({ needs }) => {
    needs('posix');
    directory = join(gw.cache, 'a b');
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  });
  const cacheStep = (env: Readonly<Record<string, string>>) => {
    gw.env = { ...inVariables(AUTH_URL), ...env };
    return stepOf('cache directory');
  };

  test('that others can change, with the line that protects it', async () => {
    chmodSync(directory, 0o777);
    expect(await cacheStep({ GWTOKEN_CACHE_DIR: directory })).toBe(
      `warning: ${directory} is accessible to other users (mode 777); run: chmod 700 '${directory}'`,
    );
  });

  test('that is a link', async () => {
    const link = join(gw.cache, 'link');
    symlinkSync(directory, link);
    const hint = 'run gwtoken as its owner, or set GWTOKEN_CACHE_DIR to a directory you own';
    const warning = `warning: ${link} is a symbolic link; ${hint}`;
    expect(await cacheStep({ GWTOKEN_CACHE_DIR: link })).toBe(warning);
  });

  test('that is unknown, because there is no home directory', async () => {
    const none = { GWTOKEN_CACHE_DIR: '', XDG_CACHE_HOME: '', HOME: '' };
    expect(await cacheStep(none)).toBe(
      'warning: no home directory; HOME is not set to a directory; set it or GWTOKEN_CACHE_DIR',
    );
  });
});

test('doctor reports an unknown key in the config file, instead of a warning', async () => {
  gw.env = inVariables(AUTH_URL);
  gw.configure({ regoin: 'eu' });
  const { stdout, stderr } = await gw.cli(['doctor']);
  expect(stderr).toBe('');
  expect(stdout).toMatch(/^warn config file +unknown config key "regoin" .*; to remove it, run: gwtoken /m);
});

describe('doctor', () => {
  const variableSteps = (env: Readonly<Record<string, string>>) =>
    variableChecks({ env, platform: 'linux' }).map(({ result, message }) => `${result}: ${message}`);

  test('accepts its own variables, output variables of any prefix, and empty ones', () => {
    const env = { GWTOKEN_REGION: 'eu', EU_ACCESS_TOKEN: 'x', GWTOKEN_SCOPE: 'x', GWTOKEN_EMPTY: '' };
    expect(variableSteps(env)).toEqual(['ok: none misspelled']);
  });

  test('warns of each variable that looks like one of its own, and suggests that one', () => {
    const meant = {
      GWTOKEN_REGOIN: '; did you mean: GWTOKEN_REGION',
      gwtoken_region: '; did you mean: GWTOKEN_REGION',
      GWTOKEN_CACHE: '; did you mean: GWTOKEN_NO_CACHE',
      GWTOKEN_API_URL_EU: '; did you mean: gwtoken config set api-url.eu VALUE',
      GWTOKEN_CLIENT_ID_EU_SANDBOX: '; did you mean: GWTOKEN_SANDBOX_CLIENT_ID_EU',
      GWTOKEN_ENVIRONMENT: '; did you mean: GWTOKEN_SANDBOX',
      GWTOKEN_ENV: '; did you mean: GWTOKEN_SANDBOX',
      GWTOKEN_SECRET: '; did you mean: GWTOKEN_CLIENT_SECRET',
      GWTOKEN_URL: '; did you mean: GWTOKEN_AUTH_URL',
      GW_TOKEN_XYZ: '',
    };
    const env = Object.fromEntries(Object.keys(meant).map((name) => [name, 'x']));
    expect(variableSteps({ GWTOKEN_REGION: 'eu', ...env })).toEqual(
      Object.entries(meant).map(
        ([name, instead]) => `warning: ${name} is not a variable of gwtoken's${instead}`,
      ),
    );
  });
});

const RENEW = "ask the endpoint's operator to renew the certificate";
test.each([
  [14 * DAY_MS, 'ok: certificate of a by b, 14 days left'],
  [14 * DAY_MS - 1, `warning: certificate of a by b, 13 days left; ${RENEW}`],
  [DAY_MS, `warning: certificate of a by b, 1 day left; ${RENEW}`],
])('doctor warns of a certificate that expires soon (in %i ms)', async (leftMs, step) => {
  gw.env = inVariables(AUTH_URL);
  answerAfter({ waitingFor: 'body', tls: tls(leftMs) }, { tookMs: 0, date: '' });
  expect(await stepOf('TLS')).toBe(step);
});

const SET_CLOCK = 'set the clock: timedatectl set-ntp true (Linux), or the date and time settings';
// The endpoint's time has whole seconds, and was read at an unknown moment of the request.
test.each([
  [0, 0, "ok: agrees with the endpoint's"],
  [31_000, 0, "ok: agrees with the endpoint's"],
  [31_001, 0, `warning: 31 s ahead of the endpoint's; ${SET_CLOCK}`],
  [-30_000, 0, "ok: agrees with the endpoint's"],
  [-7_260_000, 0, `warning: 2 h 1 min behind the endpoint's; ${SET_CLOCK}`],
  [-40_000, 10_000, "ok: agrees with the endpoint's"],
])('doctor compares a clock that is %i ms ahead, in a request of %i ms', async (aheadMs, tookMs, step) => {
  gw.env = inVariables(AUTH_URL);
  gw.nowMs = Date.UTC(2030, 0, 1, 12);
  const date = new Date(gw.nowMs - aheadMs).toUTCString();
  answerAfter({ waitingFor: 'body' }, { tookMs, date });
  expect(await stepOf('clock')).toBe(step);
});
