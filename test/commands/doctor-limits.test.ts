/** What doctor says of each step of the way, and from which day and second on it warns: in this process, on clocks of its own. */
import { expect, test } from 'vitest';
import type { Check } from '../../src/commands/doctor/check';
import { endpointChecks } from '../../src/commands/doctor/endpoint';
import { GwtokenError } from '../../src/errors';
import type { Way } from '../../src/world';

const NOW = Date.UTC(2030, 0, 1, 12);
const DAY = 86_400_000;

/** What it takes until the endpoint is asked. */
const WAY_MS = 60_000;

/** What the endpoint is asked with, and what it answers. */
type Answering = Parameters<typeof endpointChecks>[3]['fetch'];

/** All checks of a way that goes like this. */
function checksOf(fetch: Answering, now = () => NOW, url = 'https://a.test'): Promise<Check[]> {
  const authUrl = { value: url, template: url, source: { kind: 'default' as const, name: 'the test' } };
  return endpointChecks(
    'eu',
    authUrl,
    { timeoutMs: 1234, caFile: '/ca.pem' },
    { version: '1.2.3', now, fetch },
  );
}

const said = ({ result, name, message, hints }: Check) =>
  [`${result} ${name}: ${message}`, ...hints].join('\n');

/**
 * The check of that name with what a command fails with for it and its fix below it, for a certificate that is valid
 * until then, and a clock that is ahead of the endpoint's.
 */
async function check(
  name: string,
  {
    validToMs = NOW + 100 * DAY,
    aheadMs = 0,
    tookMs = 0,
  }: { validToMs?: number; aheadMs?: number; tookMs?: number },
) {
  // The header has whole seconds: half of one later is what is reckoned with.
  let nowMs = NOW + 500 + aheadMs - tookMs / 2 - WAY_MS;
  const answering: Answering = async (_, { met }) => {
    met?.({ addresses: ['127.0.0.1'], connectMs: 1, tls: { ...TLS, validToMs } });
    nowMs += WAY_MS;
    met?.({ waitingFor: 'reply' });
    nowMs += tookMs;
    return { status: 200, headers: { get: () => new Date(NOW).toUTCString() }, body: null };
  };
  const found = (await checksOf(answering, () => nowMs)).find((each) => each.name === name);
  const kind = found?.kind === undefined ? '' : ` (${found.kind})`;
  return [`${found?.result}${kind}: ${found?.message}`, ...(found?.hints ?? [])].join('\n');
}

/** Each line with its fixes, where the way went like this. */
async function lines(facts: Partial<Way>, error?: Error, url?: string): Promise<string[]> {
  const answering: Answering = async (_, { met }) => {
    met?.(facts);
    if (error) throw error;
    return { status: 204, headers: { get: () => null }, body: null };
  };
  return (await checksOf(answering, undefined, url)).map(said);
}

const TLS = {
  protocol: 'TLSv1.2',
  subject: 'a',
  issuer: 'b',
  validToMs: NOW + 100 * DAY,
  trustedBy: '/ca.pem',
} as const;
const URL_LINE = 'ok auth URL: https://a.test (the test)';

test('each step of the way, also through a proxy', async () => {
  const facts: Partial<Way> = {
    waitingFor: 'reply',
    addresses: ['192.0.2.1', '::1'],
    connectMs: 12,
    tls: TLS,
  };
  const end = [
    'ok TLS: TLSv1.2, issued to a by b, trusted by /ca.pem',
    'ok certificate: 100 days left',
    'ok reply: reachable (HTTP 204) in 0 ms',
    'skipped clock: unknown (no Date header)',
  ];
  expect(await lines(facts)).toEqual([
    URL_LINE,
    'ok DNS: 192.0.2.1, ::1',
    'ok TCP: connected in 12 ms',
    ...end,
  ]);
  expect(await lines({ ...facts, proxy: 'p.test:3128', tunnel: true })).toEqual([
    URL_LINE,
    'ok DNS: 192.0.2.1, ::1 of the proxy p.test:3128',
    'ok TCP: connected in 12 ms of the proxy p.test:3128',
    'ok proxy: connected through p.test:3128',
    ...end,
  ]);
  const { tls: _, ...plain } = facts;
  expect(await lines(plain, undefined, 'http://127.0.0.1')).toEqual([
    'ok auth URL: http://127.0.0.1 (the test)',
    'ok DNS: 192.0.2.1, ::1',
    'ok TCP: connected in 12 ms',
    ...end.slice(2),
  ]);
});

test('the endpoint is asked for the headers alone, by gwtoken', async () => {
  const asked: unknown[] = [];
  await checksOf(async (url, { met: _, ...init }) => {
    asked.push(url, init);
    return { status: 204, headers: { get: () => null }, body: null };
  });
  const headers = { 'user-agent': 'gwtoken/1.2.3' };
  expect(asked).toEqual(['https://a.test', { method: 'HEAD', headers, timeoutMs: 1234, caFile: '/ca.pem' }]);
});

test('the step that failed, those before it, and none behind it', async () => {
  const error = new GwtokenError('unreached', 'it failed', { hints: ['a hint'] });
  const failed = (name: string) => `failed ${name}: it failed\na hint`;
  const skipped = (...names: string[]) => names.map((name) => `skipped ${name}: skipped`);
  const proxy = 'p.test:3128';
  const [addresses, connectMs] = [['192.0.2.1'], 12];
  const met: [Partial<Way>, string[]][] = [
    // A proxy that cannot be used is found before anything is waited for.
    [{}, [...skipped('DNS', 'TCP'), failed('proxy'), ...skipped('TLS', 'reply')]],
    [{ waitingFor: 'roots', proxy }, [...skipped('DNS', 'TCP', 'proxy'), failed('TLS'), ...skipped('reply')]],
    [{ waitingFor: 'lookup' }, [failed('DNS'), ...skipped('TCP', 'TLS', 'reply')]],
    [{ waitingFor: 'connect', addresses }, ['ok DNS: 192.0.2.1', failed('TCP'), ...skipped('TLS', 'reply')]],
    // Of a second attempt, with the system's CAs: the first one had come further.
    [
      { waitingFor: 'connect', addresses, connectMs, tls: TLS },
      ['ok DNS: 192.0.2.1', failed('TCP'), ...skipped('TLS', 'reply')],
    ],
    [
      { waitingFor: 'tunnel', addresses, connectMs, proxy, tunnel: false },
      [
        `ok DNS: 192.0.2.1 of the proxy ${proxy}`,
        `ok TCP: connected in 12 ms of the proxy ${proxy}`,
        failed('proxy'),
        ...skipped('TLS', 'reply'),
      ],
    ],
    [
      { waitingFor: 'handshake', addresses, connectMs },
      ['ok DNS: 192.0.2.1', 'ok TCP: connected in 12 ms', failed('TLS'), ...skipped('reply')],
    ],
    [
      { waitingFor: 'handshake', addresses, connectMs, proxy },
      [
        `ok DNS: 192.0.2.1 of the proxy ${proxy}`,
        `ok TCP: connected in 12 ms of the proxy ${proxy}`,
        failed('proxy'),
        ...skipped('TLS', 'reply'),
      ],
    ],
    [
      { waitingFor: 'handshake', addresses, connectMs, tls: TLS },
      [
        'ok DNS: 192.0.2.1',
        'ok TCP: connected in 12 ms',
        failed('TLS'),
        'ok certificate: issued to a by b, 100 days left',
        ...skipped('reply'),
      ],
    ],
    ...(['reply', 'body'] as const).map((waitingFor): [Partial<Way>, string[]] => [
      { waitingFor, addresses, connectMs, tls: { ...TLS, trustedBy: undefined } },
      [
        'ok DNS: 192.0.2.1',
        'ok TCP: connected in 12 ms',
        'ok TLS: TLSv1.2, issued to a by b',
        'ok certificate: 100 days left',
        failed('reply'),
      ],
    ]),
  ];
  for (const [facts, said] of met) expect(await lines(facts, error)).toEqual([URL_LINE, ...said]);
});

test('a bug on the way is no line of the report', async () => {
  const bug = new TypeError('a bug');
  await expect(lines({}, bug)).rejects.toBe(bug);
});

test('a reply takes the time from its request on', async () => {
  expect(await check('reply', { tookMs: 20_000 })).toBe('ok: reachable (HTTP 200) in 20000 ms');
});

const RENEW = "ask the endpoint's operator to renew it";
test.each([
  [14 * DAY, 'ok: 14 days left'],
  [14 * DAY - 1, `warning: 13 days left\n${RENEW}`],
  [DAY, `warning: 1 day left\n${RENEW}`],
  [0, `warning: 0 days left\n${RENEW}`],
  [-1, `failed (unreached): expired 1 day ago\n${RENEW}, unless this machine's clock is wrong`],
  [-DAY - 1, `failed (unreached): expired 2 days ago\n${RENEW}, unless this machine's clock is wrong`],
])('a certificate that is valid for another %i ms', async (leftMs, said) => {
  expect(await check('certificate', { validToMs: NOW + 500 + leftMs })).toBe(said);
});

const SET = 'set the clock: timedatectl set-ntp true (Linux), or the date and time settings';
test.each([
  [0, 'ok: in sync'],
  [1499, 'ok: in sync'],
  [1500, "ok: this machine's clock is 2 s ahead of the endpoint's"],
  [30_000, "ok: this machine's clock is 30 s ahead of the endpoint's"],
  [30_001, `warning: this machine's clock is 30 s ahead of the endpoint's\n${SET}`],
  [-31_000, `warning: this machine's clock is 31 s behind the endpoint's\n${SET}`],
  [300_000, `warning: this machine's clock is 5 min ahead of the endpoint's\n${SET}`],
  [300_001, `failed (usage): this machine's clock is 5 min ahead of the endpoint's\n${SET}`],
  [-300_001, `failed (usage): this machine's clock is 5 min behind the endpoint's\n${SET}`],
  [119_499, `warning: this machine's clock is 119 s ahead of the endpoint's\n${SET}`],
  [119_500, `warning: this machine's clock is 2 min ahead of the endpoint's\n${SET}`],
  [7_169_499, `failed (usage): this machine's clock is 119 min ahead of the endpoint's\n${SET}`],
  [7_169_500, `failed (usage): this machine's clock is 2 h 0 min ahead of the endpoint's\n${SET}`],
  [7_260_000, `failed (usage): this machine's clock is 2 h 1 min ahead of the endpoint's\n${SET}`],
  [10_740_000, `failed (usage): this machine's clock is 2 h 59 min ahead of the endpoint's\n${SET}`],
])('a clock that is %i ms ahead', async (aheadMs, said) => {
  expect(await check('clock', { aheadMs })).toBe(said);
});

// What the reply takes is shared by the way there and the way back, but may have been either.
test.each([
  [11_499, 'ok: in sync'],
  [11_500, "ok: this machine's clock is 12 s ahead of the endpoint's"],
  [40_000, "ok: this machine's clock is 40 s ahead of the endpoint's"],
  [40_001, `warning: this machine's clock is 40 s ahead of the endpoint's\n${SET}`],
  [310_000, `warning: this machine's clock is 5 min ahead of the endpoint's\n${SET}`],
  [-310_001, `failed (usage): this machine's clock is 5 min behind the endpoint's\n${SET}`],
])('a clock that seems %i ms ahead in a reply that took 20 s', async (aheadMs, said) => {
  expect(await check('clock', { aheadMs, tookMs: 20_000 })).toBe(said);
});
