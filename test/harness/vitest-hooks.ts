/** Loaded before each test file. The harness itself does not import vitest: demo and bench use it too. */
import { afterAll, beforeEach, onTestFinished, TestRunner } from 'vitest';
import { cleanUp, keepForTests } from './clean-up';
import { missing } from './needs';

// Vitest does not know which of several tests that run at once has opened something.
keepForTests(() => {
  const test = TestRunner.getCurrentTest();
  return test && !test.concurrent ? (end) => onTestFinished(async () => void (await end())) : undefined;
});
beforeEach((context) => {
  context.needs = (...needs) => {
    const reason = missing(...needs);
    context.skip(reason !== undefined, reason);
  };
});
afterAll(cleanUp);
