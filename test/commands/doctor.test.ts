/** `gwtoken doctor` beyond the sessions of doctor.txt: a real request, the order of steps, limits, signals. */
import { beforeEach, describe, expect, test } from 'vitest';
import { GwtokenError } from '../../src/errors';
import type { ConnectionProgress } from '../../src/post-form';
import { makeAuthority } from '../harness/endpoints/authority';
import { startConnectProxy } from '../harness/endpoints/fault-server';
import { startTokenEndpoint, tokenReply } from '../harness/endpoints/token-endpoint';
import { inVariables } from '../harness/homes/client';
import { openHome } from '../harness/homes/home';
import { type Inside, inside, jsonReply } from '../harness/homes/in-process';
import { checksFrom, parseDoctor } from './doctor-report';

test('doctor shows each step of a request through a proxy without secrets', async () => {
  const authority = makeAuthority();
  const endpoint = await startTokenEndpoint(() => tokenReply('canary-token'), authority.issue({ until: 90 }));
  const proxy = await startConnectProxy();
  const at = `127.0.0.1:${proxy.port}`;
  const { code, stdout, stderr } = await openHome({
    ...inVariables(endpoint.authUrl, { clientId: 'canary-id', clientSecret: 'canary-secret' }),
    GWTOKEN_CA_FILE: authority.caFile,
    HTTPS_PROXY: `http://user:canary-word@${at}`,
  }).gwtoken(['doctor', '--json']);
  expect([code, endpoint.posts.length]).toEqual([0, 1]);
  expect(proxy.requests[0]).toContain(`proxy-authorization: Basic ${btoa('user:canary-word')}\r\n`);
  expect(stdout + stderr).not.toContain('canary');
  expect(checksFrom('credentials', parseDoctor(stdout).checks)).toEqual([
    'ok credentials: GWTOKEN_CLIENT_ID and GWTOKEN_CLIENT_SECRET',
    `ok DNS: 127.0.0.1 of the proxy ${at}`,
    `ok proxy: connected through ${at}`,
    `ok TLS: certificate of gwtoken test server by gwtoken test CA, 89 days left, trusted by ${authority.caFile}`,
    'ok token request: token received, valid for 1 h',
    "ok clock: agrees with the endpoint's",
  ]);
});

let gw: Inside;
beforeEach(() => {
  gw = inside();
});

/** Runs doctor with one attempt. Returns `first` and all later steps, each as `result name: message`. */
async function stepsFrom(first: string, ...flags: string[]): Promise<string[]> {
  const { code, stdout } = await gw.cli(['doctor', '--json', '--retries', '0', ...flags]);
  const { checks, exit_code } = parseDoctor(stdout);
  expect(exit_code).toBe(code);
  return checksFrom(first, checks);
}
const lastStep = async (...flags: string[]) => (await stepsFrom('settings', ...flags)).at(-1);
const failUnreached = () => {
  throw new GwtokenError('unreached', 'it failed', { reason: 'outage' });
};

const endingAt = (validToMs: number) => ({ subject: 'a', issuer: 'b', validToMs, trustedBy: undefined });
const DNS = 'ok DNS: 192.0.2.1, ::1';
const RESOLVED = { addresses: ['192.0.2.1', '::1'] };
const proxy = 'p.test:3128';
const DNS_OF_PROXY = `${DNS} of the proxy ${proxy}`;
test.each<[failed: string, progress: Partial<ConnectionProgress>, before: string[]]>([
  ['DNS: it failed', { waitingFor: 'lookup' }, []],
  ['connection: it failed', { ...RESOLVED, waitingFor: 'connect' }, [DNS]],
  ['DNS: it failed', { peer: 'proxy', waitingFor: 'lookup', proxy }, []],
  ...(['connect', 'handshake', 'certificate', 'tunnel'] as const).map(
    (waitingFor): [string, Partial<ConnectionProgress>, string[]] => [
      'proxy: it failed',
      { ...RESOLVED, peer: 'proxy', waitingFor, proxy },
      [DNS_OF_PROXY],
    ],
  ),
  [
    'TLS: it failed',
    { ...RESOLVED, peer: 'endpoint', waitingFor: 'handshake', proxy },
    [DNS_OF_PROXY, `ok proxy: connected through ${proxy}`],
  ],
  [
    'TLS: it failed (certificate of a by b, expired)',
    { ...RESOLVED, waitingFor: 'certificate', tls: endingAt(0) },
    [DNS],
  ],
  [
    'token request: it failed',
    { ...RESOLVED, waitingFor: 'reply', tls: endingAt(0) },
    [DNS, 'warning TLS: certificate of a by b, expired'],
  ],
])('doctor ends at the failure %s, with the progress %j', async (failed, progress, before) => {
  Object.assign(gw, { progress, answer: failUnreached });
  expect(await stepsFrom('DNS')).toEqual([...before, `failed ${failed}`]);
});

test('doctor ends without a report at a signal', async () => {
  gw.answer = gw.interrupt;
  expect(await gw.cli(['doctor'])).toEqual({ code: 130, stdout: '', stderr: '' });
});

describe('doctor reports that get still prints the cached token', () => {
  const WARNING = 'warning cache: get still prints the cached token, which is valid for';
  beforeEach(async () => {
    await gw.get();
  });

  test('after a refusal, until get would request a new one', async () => {
    gw.answer = () => ({ status: 401, body: { error: 'invalid_client' } });
    expect(await lastStep()).toBe(`${WARNING} 1 h more`);
    gw.nowMs += 3_400_000;
    expect(await lastStep()).toMatch(/^failed token request/);
    expect((await gw.cli(['get'])).code).toBe(3);
  });

  test('until its last 10 s in an outage, if flags permit it', async () => {
    gw.nowMs += 3_400_000;
    gw.answer = failUnreached;
    expect(await lastStep()).toBe(`${WARNING} 3 min 20 s more`);
    expect((await gw.cli(['get', '--retries', '0'])).stdout).toBe('token-1\n');
    for (const flags of [['--no-cache'], ['--min-ttl', '5m']])
      expect(await lastStep(...flags)).toBe('failed settings: it failed');
    gw.nowMs += 195_000;
    expect(await lastStep()).toBe('failed settings: it failed');
  });
});

const DAY_MS = 86_400_000;
test.each([
  [14 * DAY_MS, 'ok TLS: certificate of a by b, 14 days left'],
  [14 * DAY_MS - 1, 'warning TLS: certificate of a by b, 13 days left'],
  [DAY_MS, 'warning TLS: certificate of a by b, 1 day left'],
])('doctor warns of a certificate that expires soon (in %i ms)', async (leftMs, step) => {
  gw.progress = { tls: endingAt(gw.nowMs + leftMs) };
  expect(await stepsFrom('TLS')).toContain(step);
});

// The endpoint's time has whole seconds, and was read at an unknown moment of the request.
test.each([
  [0, 0, "ok clock: agrees with the endpoint's"],
  [31_000, 0, "ok clock: agrees with the endpoint's"],
  [31_001, 0, "warning clock: 31 s ahead of the endpoint's"],
  [-30_000, 0, "ok clock: agrees with the endpoint's"],
  [-7_260_000, 0, "warning clock: 2 h 1 min behind the endpoint's"],
  [5000, 40_000, "ok clock: agrees with the endpoint's"],
  [-40_000, 10_000, "ok clock: agrees with the endpoint's"],
])('doctor compares a clock that is %i ms ahead, in a request of %i ms', async (aheadMs, tookMs, step) => {
  gw.nowMs = Date.UTC(2030, 0, 1, 12);
  const reply = jsonReply(200, tokenReply(1).body, gw.nowMs - aheadMs);
  gw.own = {
    async postForm() {
      gw.nowMs += tookMs;
      return reply;
    },
  };
  expect(await lastStep()).toBe(step);
});
