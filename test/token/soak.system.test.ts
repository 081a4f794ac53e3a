/** Kills and suspends calls at random moments, and breaks the endpoint. `SOAK=1` runs longer. */
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { type TokenEndpoint, tokenReply } from '../harness/endpoints/token-endpoint';
import { type ClientHome, startClientHome } from '../harness/homes/client-home';
import { filesBelow } from '../harness/homes/files';
import { executable } from '../harness/programs/program';

/** Share of the long run: 1 plays all of it. */
const SHARE = Number(process.env['SOAK'] ?? 0.05);
const TIMEOUT_MS = 600_000;

let home: ClientHome;
beforeEach(async () => {
  home = await startClientHome((post) => tokenReply(post, { expires_in: 60 }));
});

const report = (figures: object): void => console.log(`soak: ${JSON.stringify(figures)}`);
const times = <T>(count: number, work: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => work(at));
const leftovers = () =>
  [...filesBelow(home.cache).keys()].filter((name) => /\.(lock|tmp)$|^exec-/.test(name));

test('a killed or suspended call makes no other fail and leaves no partial token', {
  timeout: TIMEOUT_MS,
}, async () => {
  const calls = Math.ceil(400 * SHARE);
  const wrong: string[] = [];
  let killed = 0;
  let longestMs = 0;
  for (let wave = 0; wave < calls / 10; wave++) {
    const programs = times(10, () =>
      home.start(['get', ...(wave % 2 ? [] : ['--fresh'])], { program: [executable()], timeoutMs: 60_000 }),
    );
    const victims = programs.filter((_, index) => index % 5 === wave % 5);
    await sleep(Math.random() * 300);
    const [dead, frozen] = [victims[0], victims[1]];
    dead?.kill('SIGKILL');
    frozen?.kill('SIGSTOP');
    setTimeout(() => frozen?.kill('SIGCONT'), 4000);
    for (const { result } of programs) {
      const { code, signal, stdout, ms } = await result;
      longestMs = Math.max(longestMs, ms);
      if (signal === 'SIGKILL') killed++;
      else if (code !== 0) wrong.push(`exit ${code}`);
      if (stdout !== '' && !/^token-\d+\n$/.test(stdout)) wrong.push(`printed ${stdout}`);
    }
  }
  report({
    calls,
    killed,
    requests: home.endpoint.posts.length,
    wrong: wrong.length,
    longestMs: Math.round(longestMs),
  });
  expect(wrong).toEqual([]);
  // The next call ignores and removes the lock of a killed call.
  expect((await home.gwtoken(['get', '--fresh'])).code).toBe(0);
  expect(leftovers()).toEqual([]);
});

const lasting = (expires_in: number | undefined) => (post: number) => tokenReply(post, { expires_in });
test.each<[string, Partial<Pick<TokenEndpoint, 'answer' | 'delayMs'>>]>([
  [
    'that fails for a second',
    { answer: (post) => (post < 3 ? { status: 503, body: {} } : tokenReply(post)) },
  ],
  ['that is slow', { delayMs: 3000 }],
  ['whose tokens last two seconds', { answer: lasting(2) }],
  ['that does not say how long tokens last', { answer: lasting(undefined) }],
])('many calls succeed with an endpoint %s', { timeout: TIMEOUT_MS }, async (name, fault) => {
  Object.assign(home.endpoint, fault);
  const calls = Math.ceil(100 * SHARE);
  const options = { program: [executable()] as const, timeoutMs: 120_000 };
  const ended = await Promise.all(times(calls, () => home.gwtoken(['get'], options)));
  report({ endpoint: name, calls, requests: home.endpoint.posts.length });
  expect(new Set(ended.map(({ code }) => code))).toEqual(new Set([0]));
  expect(leftovers()).toEqual([]);
});
