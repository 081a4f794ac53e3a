/** What `gwtoken doctor` shows: that all is well before all else, and what is not at the end, where it is read. */

import { exitCodeFor } from '../../errors';
import type { FlagValues } from '../../settings/table';
import type { World } from '../../world';
import { openReport } from '../report';
import { type Check, checkJson, failureOf } from './check';
import { examine } from './examine';

/** Of the longest name, `credential-command`. */
const WIDTH = 18;

export async function showDiagnosis(flags: FlagValues, world: World): Promise<void> {
  const sections = await world.terminal.spin('checking', () => Promise.all(examine(flags, world)));
  const checks = sections.flat();
  const failure = failureOf(checks);
  if (flags['json'] === true) {
    const exitCode = failure ? exitCodeFor(failure.kind) : 0;
    const json = { version: world.version, exit_code: exitCode, checks: checks.map(checkJson) };
    world.stdout.write(`${JSON.stringify(json)}\n`);
  } else {
    const report = await openReport({ width: WIDTH, marks: 'before names' }, world);
    if (!failure) report.paragraph(verdict(checks));
    for (const section of sections) report.section(section[0]?.section ?? '', section);
  }
  if (failure) throw failure;
}

/** Of checks none of which failed. */
function verdict(checks: readonly Check[]): string {
  const warnings = checks.filter(({ result }) => result === 'warning').length;
  if (warnings === 0) return 'All checks passed.';
  return `No failures, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}.`;
}
