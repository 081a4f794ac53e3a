type End = () => unknown;

const remaining: End[] = [];
/** Set by vitest-hooks.ts: what keeps an end for the test that is running, if one is. */
let keeperOfTest: () => ((end: End) => void) | undefined = () => undefined;
export const keepForTests = (keeper: typeof keeperOfTest): void => {
  keeperOfTest = keeper;
};

/**
 * Ends what was opened, the last first: with its test. What was opened for a whole file, or by several tests
 * at once, ends with the file; in other programs with {@link cleanUp}.
 */
export function onCleanup(end: End): void {
  const keep = keeperOfTest();
  if (keep) keep(end);
  else remaining.push(end);
}

/** Ends all that is left. Rejects with an AggregateError when some of it could not be ended. */
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
