/** The renewals of `exec --token-file`, on a simulated clock. */
import { expect, test } from 'vitest';
import { GwtokenError, ReaderGone } from '../../src/errors';
import { inside } from '../harness/homes/in-process';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

interface Reply {
  readonly access_token?: string;
  readonly expires_in?: number | undefined;
}

/** Changes to the default: a running command and an endpoint with tokens of an hour. */
interface Own {
  readonly flags?: readonly string[];
  readonly config?: object;
  /** The endpoint's answer after so much time; throws the connection's error. `end` ends the command. */
  readonly reply?: (passedMs: number, end: () => void) => Reply;
  /** By how much the clock alone moves on then; the machine sleeps, or somebody sets it. */
  readonly asleepMs?: (passedMs: number) => number;
  /** Throws what writing the file again would. */
  readonly writing?: (passedMs: number) => void;
  /** What another run with the same file has written to it. */
  readonly others?: string;
  readonly fails?: boolean;
  /** Throws what writing to stderr would. */
  readonly stderr?: () => void;
}

/** Runs exec with a command of this duration, on a clock that jumps from check to check. */
async function run(lastsMs: number, proc: Own = {}) {
  const { flags = [], config = {}, reply = () => ({}), fails = false } = proc;
  const gw = inside();
  gw.configure(config);
  const began = gw.nowMs;
  let monotonicMs = 0;
  const passed = () => monotonicMs;
  const told: string[] = [];
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let next: { readonly ms: number; readonly wake: () => void } | undefined;
  let fallsAsleep = (): void => {};
  let isOver = false;
  gw.answer = (post) => ({
    body: { access_token: `token-${post}`, token_type: 'bearer', expires_in: 3600, ...reply(passed(), end) },
  });
  gw.own = {
    monotonicMs: passed,
    sleep: (ms) =>
      new Promise((wake) => {
        if (isOver) told.push('asleep again');
        next = { ms, wake };
        fallsAsleep();
      }),
    absolutePath: () => '/the/file',
    ...(proc.stderr && { stderr: { isTTY: () => false, write: proc.stderr } }),
    ...(proc.others !== undefined && {
      readFile() {
        // After all that follows from it.
        setImmediate(end);
        return Buffer.from(proc.others!);
      },
    }),
    replaceFile(_, text) {
      if (told.length > 0) proc.writing?.(passed());
      told.push(text);
    },
    removeFile: (_, text) => told.push(`removed ${text}`),
    async runProgram(_, __, { beforeStart }) {
      beforeStart?.();
      if (fails) throw new GwtokenError('not-found', 'command not found');
      while (next !== undefined && passed() + next.ms <= lastsMs) {
        const { ms, wake }: { ms: number; wake: () => void } = next;
        next = undefined;
        const asleep = new Promise<void>((resolve) => {
          fallsAsleep = resolve;
        });
        gw.nowMs += ms + (proc.asleepMs?.(passed()) ?? 0);
        monotonicMs += ms;
        wake();
        await Promise.race([asleep, ended]);
      }
      isOver = true;
      return { code: 7, signal: null };
    },
  };
  const { code, stdout, stderr } = await gw.cli(['exec', '--token-file', 'file', ...flags, '--', 'anything']);
  expect({ code, stdout }).toEqual({ code: fails ? 127 : 7, stdout: '' });
  // After the first request, which is exec's own.
  const asked = gw.posts.slice(1).map(({ atMs }) => atMs - began);
  return { asked, told, stderr };
}

const failing = (kind: 'unreached' | 'refused', from: number, to = Number.POSITIVE_INFINITY) => {
  return (ms: number): Reply => {
    if (ms > from && ms < to) throw new GwtokenError(kind, 'no answer');
    return {};
  };
};
/** A profile with another min-ttl. */
const ACME = { profile: 'acme', 'min-ttl': '40m', profiles: { acme: { 'min-ttl': '30m' } } };

// Timers stand still while a laptop sleeps; the clock does not.
test.each<[string, minutes: number, asked: number[], own?: Own]>([
  ['of an hour, five minutes before its end, each time', 120, [55, 110]],
  ['of a year, not meanwhile', 60, [], { reply: () => ({ expires_in: 365 * 24 * 3600 }) }],
  ['for an unknown time, never', 60, [], { reply: () => ({ expires_in: undefined }) }],
  ['with less than --min-ttl', 25, [10, 20], { flags: ['--min-ttl', '50m'] }],
  ["with less than the profile's min-ttl", 35, [30], { config: ACME }],
  ['with half, if the config asks for more', 35, [30], { config: { 'min-ttl': '2h' } }],
  [
    'within 30 s of waking after a night asleep',
    62,
    [8 * 60 + 1.5],
    { asleepMs: (ms) => (ms === MINUTE ? 8 * HOUR : 0) },
  ],
  [
    'at once after a clock is set back, since its age is unknown',
    30,
    [0.5 - 120],
    { asleepMs: (ms) => (ms === 0 ? -2 * HOUR : 0) },
  ],
])('a token is renewed %s', async (_, minutes, asked, own) => {
  const ended = await run(minutes * MINUTE, own);
  expect(ended.asked.slice(0, asked.length || 1)).toEqual(asked.map((each) => each * MINUTE));
  const last = `token-${ended.asked.length + 1}`;
  expect(ended.told.slice(-2)).toEqual([last, `removed ${last}`]);
  expect(ended.stderr).toBe('');
});

test('an ageing token is requested again until a second after its end', async () => {
  const leftS = (ms: number) => Math.floor(200.2 - ms / SECOND);
  const { asked, told, stderr } = await run(202 * SECOND, {
    reply: (ms) => (ms < 200.2 * SECOND ? { access_token: 'token-1', expires_in: leftS(ms) } : {}),
  });
  // The reply at 199.2 s says 1 s, the one at 200 s 0, as does the one at 200.1.
  expect(asked.map((ms) => ms / SECOND)).toEqual([160, 192, 198.4, 199.2, 200, 200.2]);
  expect(told).toEqual(['token-1', 'token-7', 'removed token-7']);
  expect(stderr).toBe('');
});

test('an endpoint that keeps returning expired tokens is asked every 10 s', async () => {
  const reply = (ms: number) => (ms === 0 ? {} : { expires_in: 0 });
  const { asked, told, stderr } = await run(HOUR + 22 * SECOND, { reply });
  const sinceEnd = asked.map((ms) => (ms - HOUR) / SECOND).filter((seconds) => seconds >= 0);
  expect(sinceEnd).toEqual([0, 0.5, 1, 1.5, 2, 12, 22]);
  expect(told).toEqual(['token-1', 'removed token-1']);
  expect(stderr).toMatch(/^gwtoken: warning: the token file still has the last token: .* just expired .*\n$/);
});

test('an outage causes one warning and attempts every 30 s, then every 10 s', async () => {
  const reply = failing('unreached', MINUTE, 65 * MINUTE);
  const { asked, told, stderr } = await run(66 * MINUTE, { reply, flags: ['--retries', '5'] });
  const leftS = asked.map((ms) => (HOUR - ms) / SECOND);
  const first = [300, 270, 240, 210, 180, 150, 120, 90, 60, 30, 15, 5, 0, -0.5, -1, -1.5, -2, -12, -22];
  expect(leftS.slice(0, first.length)).toEqual(first);
  const pauses = asked.map((ms, index) => ms - (asked[index - 1] ?? 0)).slice(-20);
  expect(new Set(pauses)).toEqual(new Set([10 * SECOND]));
  expect(told).toEqual(['token-1', expect.stringMatching(/^token-\d+$/), `removed ${told[1]}`]);
  expect(stderr).toBe('gwtoken: warning: the token file still has the last token: no answer\n');
});

test('renewals go on if stderr is closed', async () => {
  const stderr = () => {
    throw new ReaderGone();
  };
  const { told } = await run(57 * MINUTE, { reply: failing('unreached', MINUTE, 56 * MINUTE), stderr });
  expect(told.slice(1)).toEqual([expect.stringMatching(/^token-\d+$/), `removed ${told[1]}`]);
});

test('a second outage causes a second warning', async () => {
  const [first, second] = [failing('unreached', MINUTE, 56 * MINUTE), failing('unreached', 100 * MINUTE)];
  const { stderr } = await run(3 * HOUR, { reply: (ms) => ({ ...first(ms), ...second(ms) }) });
  expect(stderr.match(/warning/g)).toHaveLength(2);
});

test('a refused renewal is repeated every 5 minutes', async () => {
  const { asked, stderr } = await run(70 * MINUTE, { reply: failing('refused', MINUTE) });
  expect(stderr.match(/warning/g)).toHaveLength(1);
  expect(asked).toEqual([55, 60, 65, 70].map((minutes) => minutes * MINUTE));
});

test('a token that could not be stored is requested again', async () => {
  const writing = (ms: number) => {
    if (ms < 56 * MINUTE) throw new Error('ENOSPC');
  };
  const { asked, told, stderr } = await run(58 * MINUTE, { writing });
  expect(asked).toEqual([55, 55.5, 56].map((minutes) => minutes * MINUTE));
  expect(told).toEqual(['token-1', 'token-4', 'removed token-4']);
  expect(stderr).toContain('ENOSPC');
});

test('a file with the token of another run is reported once and not renewed', async () => {
  const { asked, told, stderr } = await run(3 * HOUR, { others: 'token of another' });
  expect([asked, told]).toEqual([[55 * MINUTE], ['token-1', 'removed token-1']]);
  expect(stderr).toBe(
    "gwtoken: warning: /the/file has another run's token by now; this run no longer renews it\n",
  );
});

test('a renewal stores nothing if the command ends meanwhile', async () => {
  const { asked, told } = await run(56 * MINUTE, {
    reply(ms, end) {
      if (ms > 0) end();
      return {};
    },
  });
  await new Promise((done) => setTimeout(done, 50));
  expect([asked, told]).toEqual([[55 * MINUTE], ['token-1', 'removed token-1']]);
});

test('a command that cannot be run leaves no file', async () => {
  const { told } = await run(0, { fails: true });
  expect(told).toEqual(['token-1', 'removed token-1']);
});
