/** Runs many real processes at once, for the tests of shared requests. */
import type { Home } from '../harness/homes/home';
import { until } from '../harness/programs/processes';
import type { ProgramOptions, ProgramResult, RunningProgram } from '../harness/programs/program';

/** Timeout of tests and programs in ms: 200 starts take long on a busy machine. */
export const LONG = 180_000;

/** Starts `count` calls of get at once. Their --timeout is long, because they share few processors. */
export function startCalls(
  count: number,
  home: Home,
  more: Partial<ProgramOptions> = {},
  ...args: readonly string[]
): RunningProgram[] {
  const all = ['get', '--timeout', '60s', '--retries', '0', ...args];
  return Array.from({ length: count }, () => home.start(all, { ...more, timeoutMs: LONG }));
}
export const results = (programs: readonly RunningProgram[]) =>
  Promise.all(programs.map(({ result }) => result));

/** Resolves when `count` of the programs wait for another process. They must run with --verbose. */
export async function untilWaiting(programs: readonly RunningProgram[], count: number): Promise<void> {
  const waiting = () => programs.filter(({ stderr }) => stderr().includes('waiting for another')).length;
  await until(`${count} wait`, () => waiting() >= count, LONG);
}

/** Returns the distinct outcomes. `errors` are the errors and warnings on stderr. */
export function distinctOutcomes(
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
