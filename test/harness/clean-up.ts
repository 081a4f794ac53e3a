type End = () => unknown;

const remaining: End[] = [];
/** Set by vitest-hooks.ts. Returns the function that registers an end with the running test, if a test runs. */
let keeperOfTest: () => ((end: End) => void) | undefined = () => undefined;
export const keepForTests = (keeper: typeof keeperOfTest): void => {
  keeperOfTest = keeper;
};

/**
 * Registers a function that runs at the end of the current test, the last one first. Outside of a single test it
 * runs at the end of the file, and in other programs at {@link cleanUp}.
 */
export function onCleanup(end: End): void {
  const keep = keeperOfTest();
  if (keep) keep(end);
  else remaining.push(end);
}

/** Runs all remaining ends. Rejects with an AggregateError if some of them fail. */
export async function cleanUp(): Promise<void> {
  const problems: unknown[] = [];
  for (let end = remaining.pop(); end !== undefined; end = remaining.pop()) {
    try {
      await end();
    } catch (problem) {
      problems.push(problem);
    }
  }
  if (problems.length > 0) throw new AggregateError(problems, problems.map(String).join('\n'));
}
