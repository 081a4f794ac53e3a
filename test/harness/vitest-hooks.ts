/** Connects the harness to vitest before each test file. The demo and the bench use the harness without vitest. */
import { afterAll, beforeEach, onTestFinished, TestRunner } from 'vitest';
import { cleanUp, connectTests } from './clean-up';
import { missing } from './needs';

// With concurrent tests, vitest cannot tell which test opened something, so it is closed at the end of the file.
connectTests(() => {
  const test = TestRunner.getCurrentTest();
  return test && !test.concurrent ? (run) => onTestFinished(async () => void (await run())) : undefined;
});
beforeEach((context) => {
  context.needs = (...needs) => {
    const reason = missing(...needs);
    context.skip(reason !== undefined, reason);
  };
});
afterAll(cleanUp);
