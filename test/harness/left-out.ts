import type { Reporter, TestModule, Vitest } from 'vitest/node';

/** What `npm run test:setup` installs. */
const INSTALLABLE = /^needs (Debian|npm): /;

/**
 * Counts what was left out by its reason, since such a run looks as green as a whole one; VERBOSE=1: names.
 * A run of the system's tests in CI fails if a package of Debian or npm was all that was missing.
 */
export default class LeftOut implements Reporter {
  private vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const byReason = new Map<string, string[]>();
    for (const module of modules) {
      for (const test of module.children.allTests('skipped')) {
        const { note: reason } = test.result() as { note?: string };
        // Those that `-t` passed over were left out on purpose, and may be hundreds.
        if (reason === undefined) continue;
        const name = `${module.relativeModuleId} > ${test.fullName}`;
        byReason.set(reason, [...(byReason.get(reason) ?? []), name]);
      }
    }
    const print = (text: string) => this.vitest?.logger.log(text);
    const states = modules.flatMap((module) =>
      [...module.children.allTests()].map((test) => test.result().state),
    );
    const count = (state: string) => states.filter((each) => each === state).length;
    // For who reads logs by program: vitest's own line is coloured, and leaves out what is 0.
    print(`${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`);
    for (const [reason, tests] of [...byReason].sort(([, a], [, b]) => b.length - a.length)) {
      print(`left out: ${String(tests.length).padStart(4)}  ${reason}`);
      if (process.env['VERBOSE'] === '1') for (const test of tests) print(`          ${test}`);
    }
    if (![...byReason.keys()].some((reason) => INSTALLABLE.test(reason))) return;
    print('To install what Debian and npm have of it, as root: npm run test:setup');
    const wholeRun = this.vitest?.projects.some(({ name }) => name === 'system');
    if (!wholeRun || process.env['CI'] !== 'true') return;
    print('CI must run these: the run fails for it.');
    process.exitCode = 1;
  }
}
