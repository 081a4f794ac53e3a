/** The renewals of `exec --token-file`, on a simulated clock. */
import { expect, test } from 'vitest';
import { GwtokenError } from '../../src/errors';
import { ReaderGone } from '../../src/signals';
import { withoutVariables } from '../harness/homes/client';
import { type Inside, inside } from '../harness/homes/in-process';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

interface Reply {
  readonly access_token?: string;
  readonly expires_in?: number | undefined;
}

/** Differences from the default: a command that ends by itself, and an endpoint with tokens of an hour. */
interface Situation {
  readonly flags?: readonly string[];
  readonly config?: object;
  /** Returns the reply at this time, or throws an error of the connection. `end` ends the command. */
  readonly reply?: (passedMs: number, end: () => void) => Reply;
  /** Returns how far the wall clock jumps at this time: the machine sleeps, or somebody sets the clock. */
  readonly clockJumpMs?: (passedMs: number) => number;
  /** Throws the error of replacing the token in the file. */
  readonly onRewrite?: (passedMs: number) => void;
  readonly isCommandMissing?: boolean;
  /** Called for each text on stderr; may throw the error of writing it. */
  readonly onStderr?: () => void;
}

/**
 * Runs exec with a command of this duration, on a clock that jumps from check to check. Returns the times of the
 * requests after the first one, which belongs to the start of exec, and what happened to the file.
 */
async function run(lastsMs: number, situation: Situation = {}) {
  const { flags = [], config = {}, reply = () => ({}), isCommandMissing = false } = situation;
  const { onStderr } = situation;
  const gw = inside();
  gw.configure(config);
  const startMs = gw.nowMs;
  let monotonicMs = 0;
  const passed = () => monotonicMs;
  const events: string[] = [];
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let next: { readonly ms: number; readonly wake: () => void } | undefined;
  let onSleep = (): void => {};
  let isOver = false;
  gw.answer = (post) => ({
    body: { access_token: `token-${post}`, token_type: 'bearer', expires_in: 3600, ...reply(passed(), end) },
  });
  gw.own = {
    monotonicMs: passed,
    sleep: (ms) =>
      new Promise((wake) => {
        if (isOver) events.push('asleep again');
        next = { ms, wake };
        onSleep();
      }),
    absolutePath: () => '/the/file',
    ...(onStderr && { stderr: { isTTY: () => false, write: onStderr } }),
    replaceFile(_, text) {
      if (events.length > 0) situation.onRewrite?.(passed());
      events.push(text);
    },
    removeFile: (_, text) => events.push(`removed ${text}`),
    async runProgram(_, __, { beforeStart }) {
      beforeStart?.();
      if (isCommandMissing) throw new GwtokenError('not-found', 'command not found');
      while (next !== undefined && passed() + next.ms <= lastsMs) {
        const { ms, wake }: { ms: number; wake: () => void } = next;
        next = undefined;
        const asleep = new Promise<void>((resolve) => {
          onSleep = resolve;
        });
        gw.nowMs += ms + (situation.clockJumpMs?.(passed()) ?? 0);
        monotonicMs += ms;
        wake();
        await Promise.race([asleep, ended]);
      }
      isOver = true;
      return { code: 7, signal: null };
    },
  };
  const { code, stdout, stderr } = await gw.cli(['exec', '--token-file', 'file', ...flags, '--', 'anything']);
  expect({ code, stdout }).toEqual({ code: isCommandMissing ? 127 : 7, stdout: '' });
  const requestsMs = gw.posts.slice(1).map(({ atMs }) => atMs - startMs);
  return { requestsMs, events, stderr };
}

/** Returns a reply that fails between these times. */
const failing = (kind: 'unreached' | 'refused', fromMs: number, toMs = Number.POSITIVE_INFINITY) => {
  return (ms: number): Reply => {
    if (ms > fromMs && ms < toMs) throw new GwtokenError(kind, 'no answer');
    return {};
  };
};

interface Case {
  readonly title: string;
  /** Duration of the command. */
  readonly minutes: number;
  /** Times on the wall clock, in minutes since the start. */
  readonly renewals: readonly number[];
  readonly situation?: Situation;
}
test.each<Case>([
  {
    title: 'a token of an hour is renewed five minutes before each expiry',
    minutes: 120,
    renewals: [55, 110],
  },
  {
    title: 'a token without expires_in is not renewed, even if the clock is set back',
    minutes: 60,
    renewals: [],
    situation: {
      reply: () => ({ expires_in: undefined }),
      clockJumpMs: (ms) => (ms === MINUTE ? -2 * HOUR : 0),
    },
  },
  {
    title: 'a token is renewed when less than --min-ttl remains',
    minutes: 25,
    renewals: [10, 20],
    situation: { flags: ['--min-ttl', '50m'] },
  },
  {
    title: 'a token is renewed at half its lifetime if min-ttl is longer than that',
    minutes: 35,
    renewals: [30],
    situation: { config: { 'min-ttl': '2h' } },
  },
  {
    // Timers stand still while a laptop sleeps; the clock does not. Here it sleeps from the first minute on.
    title: 'a token is renewed within 10 s after the machine wakes up',
    minutes: 40,
    renewals: [1 + 8 * 60 + 1 / 6],
    situation: { clockJumpMs: (ms) => (ms === MINUTE ? 8 * HOUR : 0) },
  },
  {
    title: 'a token is renewed within 10 s after the clock is set back',
    minutes: 30,
    renewals: [-2 * 60 + 1 / 6],
    situation: { clockJumpMs: (ms) => (ms === 0 ? -2 * HOUR : 0) },
  },
])('$title', async ({ minutes, renewals, situation }) => {
  const { requestsMs, events, stderr } = await run(minutes * MINUTE, situation);
  expect(requestsMs).toEqual(renewals.map((each) => each * MINUTE));
  const last = `token-${renewals.length + 1}`;
  expect(events.slice(-2)).toEqual([last, `removed ${last}`]);
  expect(stderr).toBe('');
});

test('a token that the endpoint keeps until its end is requested more and more often', async () => {
  const leftS = (ms: number) => Math.floor(200.2 - ms / SECOND);
  const { requestsMs, events, stderr } = await run(202 * SECOND, {
    reply: (ms) => (ms < 200.2 * SECOND ? { access_token: 'token-1', expires_in: leftS(ms) } : {}),
  });
  // The reply at 199.4 s has an expires_in of 0.
  expect(requestsMs.map((ms) => ms / SECOND)).toEqual([160, 192, 198.4, 199.4, 200, 200.6]);
  expect(events).toEqual(['token-1', 'token-7', 'removed token-7']);
  expect(stderr).toBe('');
});

test('an endpoint that keeps returning expired tokens is asked each 10 s', async () => {
  const reply = (ms: number) => (ms === 0 ? {} : { expires_in: 0 });
  const { requestsMs, events, stderr } = await run(55.5 * MINUTE, { reply });
  expect(requestsMs.map((ms) => ms - 55 * MINUTE)).toEqual([0, 600, 1200, 11_200, 21_200]);
  expect(events).toEqual(['token-1', 'removed token-1']);
  expect(stderr).toMatch(/^gwtoken: warning: the token file still has the last token: .* just expired .*\n$/);
});

test('an outage causes one warning, and one attempt each 10 s', async () => {
  const reply = failing('unreached', MINUTE, 65 * MINUTE);
  const { requestsMs, events, stderr } = await run(66 * MINUTE, { reply, flags: ['--retries', '5'] });
  expect(requestsMs).toEqual(Array.from({ length: 61 }, (_, n) => 55 * MINUTE + n * 10 * SECOND));
  expect(events).toEqual(['token-1', expect.stringMatching(/^token-\d+$/), `removed ${events[1]}`]);
  expect(stderr).toBe('gwtoken: warning: the token file still has the last token: no answer\n');
});

test('renewals go on if stderr is closed', async () => {
  const onStderr = () => {
    throw new ReaderGone();
  };
  const { events } = await run(57 * MINUTE, { reply: failing('unreached', MINUTE, 56 * MINUTE), onStderr });
  expect(events.slice(1)).toEqual([expect.stringMatching(/^token-\d+$/), `removed ${events[1]}`]);
});

test('a second outage causes a second warning', async () => {
  const [first, second] = [failing('unreached', MINUTE, 56 * MINUTE), failing('unreached', 100 * MINUTE)];
  const { stderr } = await run(3 * HOUR, { reply: (ms) => ({ ...first(ms), ...second(ms) }) });
  expect(stderr.match(/warning/g)).toHaveLength(2);
});

test('a refused renewal is repeated every 30 s', async () => {
  const { requestsMs, stderr } = await run(56 * MINUTE, { reply: failing('refused', MINUTE) });
  expect(stderr.match(/warning/g)).toHaveLength(1);
  expect(requestsMs).toEqual([55, 55.5, 56].map((minutes) => minutes * MINUTE));
});

test('a token that could not be stored is requested again', async () => {
  const onRewrite = (ms: number) => {
    if (ms < 55 * MINUTE + 20 * SECOND) throw new Error('ENOSPC');
  };
  const { requestsMs, events, stderr } = await run(58 * MINUTE, { onRewrite });
  expect(requestsMs.map((ms) => ms / SECOND - 55 * 60)).toEqual([0, 10, 20]);
  expect(events).toEqual(['token-1', 'token-4', 'removed token-4']);
  expect(stderr).toContain('ENOSPC');
});

test('a renewal stores nothing if the command ends before the reply', async () => {
  const { requestsMs, events } = await run(56 * MINUTE, {
    reply(ms, end) {
      if (ms > 0) end();
      return {};
    },
  });
  await new Promise((done) => setTimeout(done, 50));
  expect([requestsMs, events]).toEqual([[55 * MINUTE], ['token-1', 'removed token-1']]);
});

test('a renewal that fails after the command has ended is not reported', async () => {
  let reports = 0;
  const { requestsMs } = await run(56 * MINUTE, {
    reply(ms, end) {
      if (ms === 0) return {};
      end();
      throw new GwtokenError('unreached', 'no answer');
    },
    onStderr() {
      reports++;
    },
  });
  await new Promise((done) => setTimeout(done, 50));
  expect([requestsMs, reports]).toEqual([[55 * MINUTE], 0]);
});

test('a command that cannot be run leaves no file', async () => {
  const { events } = await run(0, { isCommandMissing: true });
  expect(events).toEqual(['token-1', 'removed token-1']);
});

/** Runs exec, whose command does this, and ends after the renewal that follows. */
async function renewAfter(gw: Inside, doWork: () => unknown): Promise<void> {
  let wake = (): void => {};
  let renewed = (): void => {};
  gw.own = {
    sleep: () =>
      new Promise((resolve) => {
        wake = resolve;
      }),
    absolutePath: () => '/the/file',
    replaceFile: () => renewed(),
    removeFile() {},
    async runProgram(_, __, { beforeStart }) {
      beforeStart?.();
      await doWork();
      gw.nowMs += HOUR;
      const isRenewed = new Promise<void>((resolve) => {
        renewed = resolve;
      });
      wake();
      await isRenewed;
      return { code: 0, signal: null };
    },
  };
  expect((await gw.cli(['exec', '--token-file', 'file', '--', 'anything'])).code).toBe(0);
}

test('a renewal after another login stores the token of the next get', async () => {
  const gw = inside();
  gw.env = withoutVariables(gw.env);
  await gw.login();
  await renewAfter(gw, () => gw.login());
  expect(await gw.get()).toBe(`token-${gw.posts.length}`);
  // Two logins, exec and its renewal.
  expect(gw.posts).toHaveLength(4);
});

test('a renewal keeps the client if the config file selects another one', async () => {
  const gw = inside();
  const { GWTOKEN_REGION: _, GWTOKEN_AUTH_URL: __, ...env } = gw.env;
  gw.env = env;
  gw.configure({ region: 'eu', 'auth-url': 'https://{region}.example.com' });
  await renewAfter(gw, () => gw.configure({ region: 'us', 'auth-url': 'https://{region}.example.com' }));
  const url = 'https://eu.example.com/oauth2/token';
  expect(gw.posts.map((post) => post.url)).toEqual([url, url]);
});
