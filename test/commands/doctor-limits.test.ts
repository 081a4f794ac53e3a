/** From which day on doctor warns of a certificate, and from which second of a clock: in this process, on clocks of its own. */
import { expect, test } from 'vitest';
import { endpointChecks } from '../../src/commands/doctor/endpoint';

const NOW = Date.UTC(2030, 0, 1, 12);
const DAY = 86_400_000;

/**
 * The check of that name with its fix below it, for a certificate that is valid until then, and a clock that is ahead
 * of the endpoint's.
 */
async function check(
  name: string,
  {
    validToMs = NOW + 100 * DAY,
    aheadMs = 0,
    tookMs = 0,
    hasDate = true,
  }: { validToMs?: number; aheadMs?: number; tookMs?: number; hasDate?: boolean },
) {
  const url = 'https://a.test';
  // The header has whole seconds: half of one later is what is reckoned with.
  let nowMs = NOW + 500 + aheadMs - tookMs / 2;
  const tls = { protocol: 'TLSv1.3', subject: 'a', issuer: 'b', validToMs, trustedBy: undefined };
  const checks = await endpointChecks(
    'eu',
    { value: url, template: url, source: { kind: 'default', name: 'the test' } },
    { timeoutMs: 1000, caFile: undefined },
    {
      version: '0',
      now: () => nowMs,
      async fetch(_, { met }) {
        met?.({ addresses: ['127.0.0.1'], connectMs: 1, tls, waitingFor: 'reply' });
        nowMs += tookMs;
        const get = (header: string) => (hasDate && header === 'date' ? new Date(NOW).toUTCString() : null);
        return { status: 200, headers: { get }, body: null };
      },
    },
  );
  const found = checks.find((each) => each.name === name);
  return [`${found?.result}: ${found?.message}`, ...(found?.hints ?? [])].join('\n');
}

const RENEW = "ask the endpoint's operator to renew it";
test.each([
  [15 * DAY, 'ok: 15 days left'],
  [14 * DAY, 'ok: 14 days left'],
  [14 * DAY - 1, `warning: 13 days left\n${RENEW}`],
  [DAY, `warning: 1 day left\n${RENEW}`],
  [0, `warning: 0 days left\n${RENEW}`],
  [-1, `failed: expired 1 day ago\n${RENEW}, unless this machine's clock is wrong`],
  [-DAY - 1, `failed: expired 2 days ago\n${RENEW}, unless this machine's clock is wrong`],
])('a certificate that is valid for another %i ms', async (leftMs, said) => {
  expect(await check('certificate', { validToMs: NOW + 500 + leftMs })).toBe(said);
});

const SET = 'set the clock: timedatectl set-ntp true (Linux), or the date and time settings';
test.each([
  [0, 'ok: in sync'],
  [1499, 'ok: in sync'],
  [-1499, 'ok: in sync'],
  [1500, "ok: this machine's clock is 2 s ahead of the endpoint's"],
  [30_000, "ok: this machine's clock is 30 s ahead of the endpoint's"],
  [30_001, `warning: this machine's clock is 30 s ahead of the endpoint's\n${SET}`],
  [-31_000, `warning: this machine's clock is 31 s behind the endpoint's\n${SET}`],
  [300_000, `warning: this machine's clock is 5 min ahead of the endpoint's\n${SET}`],
  [300_001, `failed: this machine's clock is 5 min ahead of the endpoint's\n${SET}`],
  [-300_001, `failed: this machine's clock is 5 min behind the endpoint's\n${SET}`],
  [119_499, `warning: this machine's clock is 119 s ahead of the endpoint's\n${SET}`],
  [119_500, `warning: this machine's clock is 2 min ahead of the endpoint's\n${SET}`],
  [7_169_499, `failed: this machine's clock is 119 min ahead of the endpoint's\n${SET}`],
  [7_169_500, `failed: this machine's clock is 2 h 0 min ahead of the endpoint's\n${SET}`],
  [7_260_000, `failed: this machine's clock is 2 h 1 min ahead of the endpoint's\n${SET}`],
])('a clock that is %i ms ahead', async (aheadMs, said) => {
  expect(await check('clock', { aheadMs })).toBe(said);
});

test('a clock beside an endpoint that does not tell the time', async () => {
  expect(await check('clock', { hasDate: false })).toBe('skipped: unknown (no Date header)');
});

// What the reply takes is shared by the way there and the way back, but may have been either.
test.each([
  [11_499, 'ok: in sync'],
  [-11_499, 'ok: in sync'],
  [11_500, "ok: this machine's clock is 12 s ahead of the endpoint's"],
  [40_000, "ok: this machine's clock is 40 s ahead of the endpoint's"],
  [40_001, `warning: this machine's clock is 40 s ahead of the endpoint's\n${SET}`],
  [310_000, `warning: this machine's clock is 5 min ahead of the endpoint's\n${SET}`],
  [-310_001, `failed: this machine's clock is 5 min behind the endpoint's\n${SET}`],
])('a clock that seems %i ms ahead in a reply that took 20 s', async (aheadMs, said) => {
  expect(await check('clock', { aheadMs, tookMs: 20_000 })).toBe(said);
});
