/** Many real processes at once, for the tests of what they share. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TokenEndpoint } from '../harness/endpoints/token-endpoint';
import type { Home } from '../harness/homes/home';
import type { ProgramResult } from '../harness/programs/program';

/** For a test's and a program's end, in milliseconds: two hundred starts take their time on a busy machine. */
export const LONG = 180_000;

/** Starts so many at once; their own limits are far off, since they share two processors. */
export function start(count: number, client: Home, args: readonly string[] = [], env = {}) {
  const all = ['get', '--timeout', '60s', '--retries', '0', ...args];
  return Array.from({ length: count }, () => client.start(all, { env, timeoutMs: LONG }));
}
export const results = (programs: ReturnType<typeof start>) =>
  Promise.all(programs.map(({ result }) => result));

/** How many are connected to the lock's holder: Linux lists sockets with the paths that they are bound to. */
function waitingFor({ cache }: Home): number {
  // A connection that the holder has not accepted yet is one too.
  const connected = ['02', '03'];
  return readFileSync('/proc/net/unix', 'latin1')
    .split('\n')
    .filter((line) => line.includes(join(cache, '.locks/')) && connected.includes(line.split(/\s+/)[5] ?? ''))
    .length;
}
export async function untilWaiting(client: Home, count: number): Promise<void> {
  for (let round = 0; waitingFor(client) < count; round++) {
    if (round > 1200) throw new Error(`only ${waitingFor(client)} of ${count} wait`);
    await sleep(100);
  }
}

/** The results of so many at once, of which the first is answered when all others wait for it. */
export async function resultsBehindOne(
  endpoint: TokenEndpoint,
  client: Home,
  count: number,
  args: readonly string[] = [],
) {
  const answer = endpoint.hold();
  const programs = start(count, client, args);
  await untilWaiting(client, count - 1);
  answer();
  return await results(programs);
}

/** The same result for all, told once. */
export function alike(
  ended: readonly ProgramResult[],
): { code: number | null; stdout: string; stderr: string }[] {
  const kinds = new Set(ended.map(({ code, stdout, stderr }) => JSON.stringify({ code, stdout, stderr })));
  return [...kinds].map((kind) => JSON.parse(kind));
}
