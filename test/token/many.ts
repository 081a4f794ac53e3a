/** Many real processes at once, for the tests of what they share. */
import type { TokenEndpoint } from '../harness/endpoints/token-endpoint';
import type { Home } from '../harness/homes/home';
import { until } from '../harness/programs/processes';
import type { ProgramResult, RunningProgram } from '../harness/programs/program';

/** Milliseconds for a test's and a program's end: two hundred starts take their time on a busy machine. */
export const LONG = 180_000;

/** Starts `count` at once; their own limits are far off, since they share two processors. */
export function start(count: number, client: Home, args: readonly string[] = []): RunningProgram[] {
  const all = ['get', '--timeout', '60s', '--retries', '0', ...args];
  return Array.from({ length: count }, () => client.start(all, { timeoutMs: LONG }));
}
export const results = (programs: readonly RunningProgram[]) =>
  Promise.all(programs.map(({ result }) => result));

/** Resolves when `count` of them, started with --verbose, wait for another. */
export async function untilWaiting(programs: readonly RunningProgram[], count: number): Promise<void> {
  const waiting = () => programs.filter(({ stderr }) => stderr().includes('waiting for another')).length;
  await until(`${count} wait`, () => waiting() >= count, LONG);
}

/** The results of `count` at once, of which the first is answered when all others wait for it. */
export async function resultsBehindOne(
  endpoint: TokenEndpoint,
  client: Home,
  count: number,
  args: readonly string[] = [],
): Promise<ProgramResult[]> {
  const answer = endpoint.hold();
  const programs = start(count, client, ['--verbose', ...args]);
  await untilWaiting(programs, count - 1);
  answer();
  return await results(programs);
}

/** What they ended with, once each; of stderr only the errors. */
export function alike(
  ended: readonly ProgramResult[],
): { code: number | null; stdout: string; errors: string }[] {
  const kinds = new Set(
    ended.map(({ code, stdout, stderr }) => {
      const errors = (stderr.match(/^gwtoken: (error|warning): .*$/gm) ?? []).join('\n');
      return JSON.stringify({ code, stdout, errors });
    }),
  );
  return [...kinds].map((kind) => JSON.parse(kind));
}
