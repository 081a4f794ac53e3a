/** An endpoint that returns one token until it expires, as Doorkeeper's `reuse_access_token` does. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { tokenReply } from '../harness/endpoints/token-endpoint';
import { startClientHome } from '../harness/homes/client-home';
import { executable } from '../harness/programs/program';

/** Both forms renew tokens by the same code. The executable starts in a fifth of the package's time. */
const program = [executable()] as const;
const LIFETIME_MS = 4600;
const RUN_S = 15;

test('get never fails, and a token file is expired for at most a second', async () => {
  let current = { token: '', untilMs: 0 };
  // Each reply has the whole seconds left, which are 0 in the last one.
  const home = await startClientHome((post) => {
    const nowMs = Date.now();
    if (nowMs >= current.untilMs) current = { token: `token-${post}`, untilMs: nowMs + LIFETIME_MS };
    return tokenReply(current.token, { expires_in: Math.floor((current.untilMs - nowMs) / 1000) });
  });
  const file = join(home.dir, 'token');
  const running = home.start(['exec', '--token-file', file, '--', 'sleep', String(RUN_S)], { program });
  let isRunning = true;
  const result = running.result.finally(() => {
    isRunning = false;
  });

  const untilMs = new Map<string, number>();
  /** Returns the longest time for which the token in the file had expired, in ms. */
  const watchFile = async (): Promise<number> => {
    let longestMs = 0;
    for (; isRunning; await sleep(20)) {
      untilMs.set(current.token, current.untilMs);
      if (!existsSync(file)) continue;
      const expiredMs = Date.now() - (untilMs.get(readFileSync(file, 'utf8')) ?? Date.now());
      longestMs = Math.max(longestMs, expiredMs);
    }
    return longestMs;
  };
  const failures: string[] = [];
  const callGet = async (...args: string[]): Promise<void> => {
    while (isRunning) {
      const { code, stderr } = await home.gwtoken(['get', ...args], { program });
      if (code !== 0 || stderr !== '') failures.push(`${args.join(' ')} ${code}: ${stderr}`);
      // Most calls come in the last second of a lifetime.
      await sleep(Math.max(100, current.untilMs - Date.now() - 1000));
    }
  };

  const [longestMs, { code, stderr }] = await Promise.all([
    watchFile(),
    result,
    callGet(),
    callGet('--fresh'),
  ]);
  expect({ code, stderr, failures }).toEqual({ code: 0, stderr: '', failures: [] });
  expect(longestMs).toBeLessThan(1000);
  expect(untilMs.size).toBeGreaterThanOrEqual(3);
});
