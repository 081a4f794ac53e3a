import type { Reporter, TestModule, Vitest } from 'vitest/node';

/** What `npm run test:setup` installs. */
const INSTALLABLE = /^needs (Debian|npm): /;

/**
 * Counts what was left out by its reason, since such a run looks as green as a whole one.
 * A run of the system's tests in CI fails if a package of Debian or npm was all that was missing.
 */
export default class LeftOut implements Reporter {
  private vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const results = modules.flatMap((module) =>
      [...module.children.allTests()].map((test) => test.result() as { state: string; note?: string }),
    );
    const byReason = new Map<string, number>();
    // Those that `-t` passed over have no reason: they were left out on purpose, and may be hundreds.
    for (const { note } of results) if (note) byReason.set(note, (byReason.get(note) ?? 0) + 1);
    const print = (text: string) => this.vitest?.logger.log(text);
    const count = (state: string) => results.filter((result) => result.state === state).length;
    // For who reads logs by program: vitest's own line is coloured, and leaves out what is 0.
    print(`${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`);
    for (const [reason, tests] of [...byReason].sort(([, a], [, b]) => b - a))
      print(`left out: ${String(tests).padStart(4)}  ${reason}`);
    if (![...byReason.keys()].some((reason) => INSTALLABLE.test(reason))) return;
    print('To install what Debian and npm have of it, as root: npm run test:setup');
    const wholeRun = this.vitest?.projects.some(({ name }) => name === 'system');
    if (!wholeRun || process.env['CI'] !== 'true') return;
    print('CI must run these: the run fails for it.');
    process.exitCode = 1;
  }
}
