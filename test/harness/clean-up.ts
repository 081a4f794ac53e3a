import { AsyncLocalStorage } from 'node:async_hooks';

type End = () => unknown;

const scopes = new AsyncLocalStorage<End[]>();
const remaining: End[] = [];
/** Set by vitest-hooks.ts: what keeps an end for the test that is running, if one is. */
let keeperOfTest: () => ((end: End) => void) | undefined = () => undefined;
export const keepForTests = (keeper: typeof keeperOfTest): void => {
  keeperOfTest = keeper;
};

/**
 * Ends what was opened, the last first: with its test, or with {@link cleaningUp} around it. What was opened
 * for a whole file, or by several tests at once, ends with the file; in other programs with {@link cleanUp}.
 */
export function onCleanup(end: End): void {
  const scope = scopes.getStore();
  const keep = keeperOfTest();
  if (scope) scope.push(end);
  else if (keep) keep(end);
  else remaining.push(end);
}

/** Runs the work, and ends what it has opened. */
export function cleaningUp<T>(work: () => Promise<T>): Promise<T> {
  const ends: End[] = [];
  return scopes.run(ends, () => work().finally(() => endAll(ends)));
}

/** Ends all that is left. Rejects with an AggregateError when some of it could not be ended. */
export const cleanUp = (): Promise<void> => endAll(remaining);

async function endAll(ends: End[]): Promise<void> {
  const problems: unknown[] = [];
  for (let end = ends.pop(); end !== undefined; end = ends.pop()) {
    try {
      await end();
    } catch (problem) {
      problems.push(problem);
    }
  }
  if (problems.length > 0) throw new AggregateError(problems, problems.map(String).join('\n'));
}
