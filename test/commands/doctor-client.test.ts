/** What doctor says of a client's token request, step by step, and from which day and second on it warns. */
import { expect, test } from 'vitest';
import type { CheckedClient, Request } from '../../src/commands/clients';
import { clientSection } from '../../src/commands/doctor/client';
import { failure, type GwtokenError } from '../../src/errors';
import type { ConnectionProgress } from '../../src/world';
import { EU } from '../harness/homes/client';

const NOW = Date.UTC(2030, 0, 1, 12);
const DAY = 86_400_000;
const TLS = {
  protocol: 'TLSv1.2',
  subject: 'a',
  issuer: 'b',
  validToMs: NOW + 100 * DAY,
  trustedBy: '/ca.pem',
} as const;
const DONE: ConnectionProgress = {
  waitingFor: 'reply',
  addresses: ['192.0.2.1', '::1'],
  connectMs: 12,
  tls: TLS,
};

/** Each check with its hints below it, for a request that went so. */
function lines(
  request: Partial<Request> | undefined,
  verdict: CheckedClient['verdict'] = { clientId: 'id', lifetimeS: 3600 },
  url = 'https://a.test',
): string[] {
  const source = { kind: 'default' as const, name: 'the test' };
  const status = {
    client: EU,
    selected: true,
    plan: { kind: 'keychain', name: 'the keychain' },
    authUrl: { value: url, template: url, source },
    verdict,
    request: request && { progress: DONE, askedAtMs: NOW, repliedAtMs: NOW, ...request },
  };
  const { checks } = clientSection(status as unknown as CheckedClient, NOW);
  return checks.map(({ result, name, message, hints }) =>
    [`${result} ${name}: ${message}`, ...hints].join('\n'),
  );
}
const line = (name: string, request: Partial<Request>) =>
  lines({ status: 200, ...request }).find((each) => each.includes(` ${name}: `));

const BEGIN = ['ok credentials: the keychain', 'ok auth URL: https://a.test (the test)'];
const CERTIFICATE = 'ok certificate: issued to a by b, 100 days left';
const REACHED = [
  'ok DNS: 192.0.2.1, ::1',
  'ok TCP: connected in 12 ms',
  'ok TLS: TLSv1.2, trusted by /ca.pem',
  CERTIFICATE,
];
const END = ['ok reply: HTTP 200 in 0 ms', 'ok token: valid for 1 h'];

test('doctor shows each step of a request', () => {
  expect(lines({ status: 200 })).toEqual([...BEGIN, ...REACHED, ...END]);
  const { tls: _, ...plain } = DONE;
  const url = 'http://127.0.0.1';
  const [dns, tcp] = REACHED;
  expect(lines({ status: 200, progress: plain }, undefined, url).slice(2)).toEqual([dns, tcp, ...END]);
  expect(lines({ status: 200 }, { clientId: 'id', lifetimeS: undefined }).at(-1)).toBe('ok token: received');
});

const ERROR = failure('unreached', 'it failed', 'a hint');
const failed = (name: string) => `failed ${name}: it failed\na hint`;

test('doctor shows a CA file that cannot be read, also where TLS would not need it', () => {
  expect(lines({ progress: { waitingFor: 'roots' } }, ERROR, 'http://127.0.0.1').slice(2)).toEqual([
    'skipped DNS: skipped',
    'skipped TCP: skipped',
    failed('TLS'),
    'skipped reply: skipped',
  ]);
});

test('doctor shows a reply that brings no token behind the way to it', () => {
  const refused = failure('refused', 'it failed', 'a hint');
  expect(lines({ status: 401 }, refused)).toEqual([
    ...BEGIN,
    ...REACHED,
    'ok reply: HTTP 401 in 0 ms',
    failed('token'),
  ]);
});

test('doctor without a request shows only why there was none', () => {
  expect(lines(undefined, ERROR)).toEqual([failed('credentials')]);
});

const skipped = (...names: string[]) => names.map((name) => `skipped ${name}: skipped`);
const [DNS, TCP] = REACHED as [string, string];
const proxy = 'p.test:3128';
const AT_PROXY = [`${DNS} of the proxy ${proxy}`, `${TCP} of the proxy ${proxy}`];
const { tls: _, ...CONNECTED } = DONE;
test.each<[at: string, way: ConnectionProgress, said: string[]]>([
  // A proxy that cannot be used is found before anything is waited for.
  ['route', { waitingFor: 'route' }, [...skipped('DNS', 'TCP'), failed('proxy'), ...skipped('TLS', 'reply')]],
  [
    "the proxy's roots",
    { waitingFor: 'roots', proxy },
    [...skipped('DNS', 'TCP', 'proxy'), failed('TLS'), ...skipped('reply')],
  ],
  ['DNS', { waitingFor: 'lookup' }, [failed('DNS'), ...skipped('TCP', 'TLS', 'reply')]],
  // Of a second attempt, with the system's CAs: the first one had come further.
  ['TCP', { ...DONE, waitingFor: 'connect' }, [DNS, failed('TCP'), ...skipped('TLS', 'reply')]],
  [
    'the tunnel',
    { ...CONNECTED, waitingFor: 'tunnel', proxy, tunnel: false },
    [...AT_PROXY, failed('proxy'), ...skipped('TLS', 'reply')],
  ],
  [
    "the proxy's TLS",
    { ...CONNECTED, waitingFor: 'handshake', proxy },
    [...AT_PROXY, failed('proxy'), ...skipped('TLS', 'reply')],
  ],
  ['TLS', { ...CONNECTED, waitingFor: 'handshake' }, [DNS, TCP, failed('TLS'), ...skipped('reply')]],
  [
    'the certificate',
    { ...DONE, waitingFor: 'handshake' },
    [DNS, TCP, failed('TLS'), CERTIFICATE, ...skipped('reply')],
  ],
  ['the reply', DONE, [...REACHED, failed('reply')]],
  ['the body', { ...DONE, waitingFor: 'body' }, [...REACHED, failed('reply')]],
])('doctor shows that a request failed at %s, and what it did not get to', (_, progress, said) => {
  expect(lines({ progress }, ERROR)).toEqual([...BEGIN, ...said]);
});

const RENEW = "ask the endpoint's operator to renew it";
test.each([
  [14 * DAY, 'ok certificate: issued to a by b, 14 days left'],
  [14 * DAY - 1, `warning certificate: the certificate of a has 13 days left\n${RENEW}`],
  [DAY, `warning certificate: the certificate of a has 1 day left\n${RENEW}`],
])('doctor on a certificate that is valid for another %i ms', (leftMs, said) => {
  expect(line('certificate', { progress: { ...DONE, tls: { ...TLS, validToMs: NOW + leftMs } } })).toBe(said);
});

test('doctor says of a refused certificate when it expired, without a second failure', () => {
  const progress: ConnectionProgress = {
    ...DONE,
    waitingFor: 'handshake',
    tls: { ...TLS, validToMs: NOW - DAY - 1 },
  };
  expect(lines({ progress }, ERROR as GwtokenError).slice(4, 6)).toEqual([
    failed('TLS'),
    'ok certificate: issued to a by b, expired 2 days ago',
  ]);
});

const SET = 'set the clock: timedatectl set-ntp true (Linux), or the date and time settings';
// What the reply takes is shared by the way there and the way back, but may have been either.
test.each([
  [1499, 0, 'ok clock: in sync'],
  [1500, 0, "ok clock: this machine's clock is 1.5 s ahead of the endpoint's"],
  [30_001, 0, `warning clock: this machine's clock is 31 s ahead of the endpoint's\n${SET}`],
  [-7_260_000, 0, `warning clock: this machine's clock is 2 h 1 min behind the endpoint's\n${SET}`],
  [11_499, 20_000, 'ok clock: in sync'],
  [40_000, 20_000, "ok clock: this machine's clock is 40 s ahead of the endpoint's"],
  [-40_001, 20_000, `warning clock: this machine's clock is 41 s behind the endpoint's\n${SET}`],
])('doctor on a clock that is %i ms ahead in a reply that took %i ms', (aheadMs, tookMs, said) => {
  // The header has whole seconds: half of one later is what is reckoned with.
  const askedAtMs = NOW + 500 + aheadMs - tookMs / 2;
  const date = new Date(NOW).toUTCString();
  expect(line('clock', { askedAtMs, repliedAtMs: askedAtMs + tookMs, date })).toBe(said);
  expect(line('clock', { date: null })).toBeUndefined();
});
