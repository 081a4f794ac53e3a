import type { Reporter, TestModule, Vitest } from 'vitest/node';

/** Matches the reasons that `npm run test:setup` removes. */
const INSTALLABLE = /^needs (Debian|npm): /;

/**
 * Prints how many tests were skipped for each reason, because such a run looks as green as a complete one.
 * In CI, a run of the system tests fails if a test was skipped for a missing package of Debian or npm.
 */
export default class LeftOut implements Reporter {
  private vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests('skipped')]);
    const byReason = new Map<string, number>();
    // Tests that `-t` skips have no reason. They are skipped on purpose, and may be hundreds.
    for (const { note } of tests.map((test) => test.result() as { note?: string }))
      if (note) byReason.set(note, (byReason.get(note) ?? 0) + 1);
    const print = (text: string) => this.vitest?.logger.log(text);
    for (const [reason, tests] of [...byReason].sort(([, a], [, b]) => b - a))
      print(`left out: ${String(tests).padStart(4)}  ${reason}`);
    if (![...byReason.keys()].some((reason) => INSTALLABLE.test(reason))) return;
    print('To install the missing packages, as root: npm run test:setup');
    const runsSystemTests = this.vitest?.projects.some(({ name }) => name === 'system');
    if (!runsSystemTests || process.env['CI'] !== 'true') return;
    print('CI must run these tests, so this run fails.');
    process.exitCode = 1;
  }
}
