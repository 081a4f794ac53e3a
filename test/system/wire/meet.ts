import { test } from 'vitest';
import { cleaningUp } from '../../harness/clean-up';
import { type Authority, makeAuthority } from '../../harness/endpoints/authority';
import { filesBelow } from '../../harness/homes/files';
import { openHome } from '../../harness/homes/home';
import { BAD_PROXIES } from './bad-proxies';
import { BAD_REPLIES } from './bad-replies';
import { BAD_TLS } from './bad-tls';
import { BROKEN_CONNECTIONS } from './broken-connections';
import { SECRET, type WireCase, withOtherHost } from './scene';

/** The secret in each form in which it could travel, and the proxy's password. */
const CANARIES = [
  SECRET,
  'canary-"secret"',
  'canary-%22secret',
  'canary-\\"secret',
  Buffer.from(SECRET).toString('base64').slice(0, 24),
  Buffer.from(SECRET, 'utf8').toString('latin1'),
  'canary@proxy',
  'canary%40proxy',
];

/** Runs `gwtoken get` in the case; `leaks` says what showed a secret, and to whom. */
export function meet(each: WireCase, authority: Authority, limits: readonly string[] = []) {
  return cleaningUp(async () => {
    const scene = await each.set(authority);
    const args = ['get', '--region', 'eu', '--auth-url', scene.authUrl, ...(scene.args ?? []), ...limits];
    const home = openHome({ GWTOKEN_CLIENT_ID: 'wire-client', GWTOKEN_CLIENT_SECRET: SECRET, ...scene.env });
    const { code, signal, stdout, stderr } = await home.gwtoken(args, { timeoutMs: 60_000 });
    const strangers = scene.strangers ?? [];
    const seen: [string, string][] = [
      ['stdout', stdout],
      ['stderr', stderr],
      ...strangers.map((server, index): [string, string] => [`stranger ${index}`, server.received()]),
      ...[...filesBelow(home.dir)].map(([path, bytes]): [string, string] => [path, bytes.toString('latin1')]),
    ];
    const leaks = seen.flatMap(([where, text]) =>
      CANARIES.filter((canary) => text.includes(canary)).map((canary) => `${canary} in ${where}`),
    );
    const requests = scene.endpoint?.requests.length ?? 0;
    return {
      code,
      signal,
      stdout,
      stderr,
      requests,
      leaks,
      misled: withOtherHost(scene),
      check: scene.check,
    };
  });
}

/** The cases of the quick tests. */
const SMOKE = [
  'accepted, then silence',
  'reset before the headers',
  'a body cut short',
  'a token',
  '401 invalid_client, with the secret in its description',
  '503',
  '307 to another host',
  '--ca-file',
  'the wrong host',
  "the host's name as the common name alone",
  'proxy: with a user name and a password',
  'proxy: 407 with wrong credentials',
  'proxy: an https: proxy',
];

/** Tests the cases of the smoke, or all others; five at a time. */
export function testCases(smoke: boolean): void {
  const authority = makeAuthority();
  const all = [BROKEN_CONNECTIONS, BAD_REPLIES, BAD_TLS, BAD_PROXIES].flat();
  const cases = all.filter(({ name }) => SMOKE.includes(name) === smoke);
  test.concurrent.for(cases)('get meets: $name', async (each, { expect, needs }) => {
    needs(each.needs);
    const limits = each.waits ? ['--timeout', '4s', '--retries', '0'] : [];
    const met = await meet(each, authority, limits);
    expect(met).toMatchObject({ code: each.code, signal: null, requests: each.requests });
    expect(met.stdout).toBe(each.token === undefined ? '' : `${each.token}\n`);
    expect(met.stderr).toMatch(each.says ?? /^$/);
    expect(met.leaks).toEqual([]);
    expect(met.misled).toEqual([]);
    met.check?.();
  });
}
