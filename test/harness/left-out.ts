import type { Reporter, TestModule, TestSuite, Vitest } from 'vitest/node';

/** A test says `ctx.skip('needs Debian: gnome-keyring')` when a Debian package would let it run, or one of npm's. */
const INSTALLABLE = /^needs (Debian|npm): /;

/**
 * A run that silently left half of its tests out looks as green as a whole one. This reporter names every test left
 * out with the reason, and under CI fails the run if a package of Debian was all that was missing.
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
        const reason = result.note ?? (test.options.mode === 'todo' ? 'to do' : 'no reason given');
        byReason.set(reason, [
          ...(byReason.get(reason) ?? []),
          `${module.relativeModuleId} > ${test.fullName}`,
        ]);
      }
    }
    this.list(byReason);
    this.print(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
  }

  private list(byReason: ReadonlyMap<string, readonly string[]>): void {
    if (byReason.size === 0) return;
    const rule = '='.repeat(78);
    this.print(`${rule}\nLEFT OUT`);
    for (const [reason, tests] of [...byReason].sort(([a], [b]) => a.localeCompare(b))) {
      this.print(`${reason} (${tests.length}):`);
      for (const test of tests) this.print(`  - ${test}`);
    }
    const installable = [...byReason.keys()].filter((reason) => INSTALLABLE.test(reason));
    if (installable.length > 0 && process.env['CI'] === 'true') {
      this.print('CI must run these: install the packages named above. The run fails for it.');
      process.exitCode = 1;
    }
    this.print(`${rule}\n`);
  }

  private print(text: string): void {
    this.vitest?.logger.log(text);
  }
}
