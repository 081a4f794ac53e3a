import type { Reporter, TestModule, TestSuite, Vitest } from 'vitest/node';

/** What `npm run test:setup` installs. */
const INSTALLABLE = /^needs (Debian|npm): /;

/**
 * A run that silently left half of its tests out looks as green as a whole one. This reporter counts what was left out
 * by its reason (with VERBOSE=1 it names each test), and closes with one plain line. A run of the system's tests in CI
 * fails if a package of Debian or npm was all that was missing.
 */
export default class LeftOut implements Reporter {
  private vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const byReason = new Map<string, string[]>();
    const count = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of modules) {
      // A file that does not load and a hook that throws fail the run without failing any test.
      const suites: (TestModule | TestSuite)[] = [module, ...module.children.allSuites()];
      count.failed += suites.filter((suite) => suite.errors().length > 0).length;
      for (const test of module.children.allTests()) {
        const result = test.result();
        if (result.state === 'pending') continue;
        count[result.state]++;
        if (result.state !== 'skipped') continue;
        // Those that `-t` passed over were left out on purpose, and may be hundreds.
        if (result.note === undefined && this.vitest?.getGlobalTestNamePattern()) continue;
        const reason = result.note ?? 'no reason given';
        const name = `${module.relativeModuleId} > ${test.fullName}`;
        byReason.set(reason, [...(byReason.get(reason) ?? []), name]);
      }
    }
    this.tell(byReason);
    this.print(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
  }

  private tell(byReason: ReadonlyMap<string, readonly string[]>): void {
    if (byReason.size === 0) return;
    const verbose = process.env['VERBOSE'] === '1';
    this.print(`Left out${verbose ? '' : ' (VERBOSE=1 names each)'}:`);
    for (const [reason, tests] of [...byReason].sort(([, a], [, b]) => b.length - a.length)) {
      this.print(`${String(tests.length).padStart(6)}  ${reason}`);
      if (verbose) for (const test of tests) this.print(`        ${test}`);
    }
    if (![...byReason.keys()].some((reason) => INSTALLABLE.test(reason))) return;
    this.print('To install what Debian and npm have of it, as root: npm run test:setup');
    const wholeRun = this.vitest?.projects.some(({ name }) => name === 'system');
    if (wholeRun && process.env['CI'] === 'true') {
      this.print('CI must run these: the run fails for it.');
      process.exitCode = 1;
    }
  }

  private print(text: string): void {
    this.vitest?.logger.log(text);
  }
}
