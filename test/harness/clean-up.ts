type CleanUp = () => unknown;

const remaining: CleanUp[] = [];
/** Returns the function that registers a clean-up with the running test; undefined if none runs. */
let registrarOfTest: () => ((run: CleanUp) => void) | undefined = () => undefined;
/** Lets vitest-hooks.ts connect the clean-ups to vitest. */
export const connectTests = (registrar: typeof registrarOfTest): void => {
  registrarOfTest = registrar;
};

/**
 * Registers a function that runs at the end of the current test, the last one first. Outside of a single test it
 * runs at the end of the file, and in other programs at {@link cleanUp}.
 */
export function onCleanup(run: CleanUp): void {
  const register = registrarOfTest();
  if (register) register(run);
  else remaining.push(run);
}

/** Runs all remaining clean-ups. Rejects with an AggregateError if some of them fail. */
export async function cleanUp(): Promise<void> {
  const problems: unknown[] = [];
  for (let run = remaining.pop(); run !== undefined; run = remaining.pop()) {
    try {
      await run();
    } catch (problem) {
      problems.push(problem);
    }
  }
  if (problems.length > 0) throw new AggregateError(problems, problems.map(String).join('\n'));
}
