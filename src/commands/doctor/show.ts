/** What `gwtoken doctor` shows: each section as soon as it is there. */

import { exitCodeFor } from '../../exit-codes';
import type { FlagValues } from '../../settings/setting';
import type { World } from '../../world/world';
import { openReport } from '../report';
import { type Check, checkJson, failureOf } from './check';
import { examine } from './examine';

/** Of the longest name, `credential-command`. */
const WIDTH = 18;

export async function showDiagnosis(flags: FlagValues, world: World): Promise<void> {
  const sections = examine(flags, world);
  const checks: Check[] = [];
  const report =
    flags['json'] === true ? undefined : await openReport({ width: WIDTH, marks: 'before names' }, world);
  for (const section of sections) {
    const found = await world.terminal.spin('checking', () => section);
    checks.push(...found);
    report?.section(found[0]?.section ?? '', found);
  }
  const failure = failureOf(checks);
  if (!report) {
    const exitCode = failure ? exitCodeFor(failure.kind) : 0;
    const json = { version: world.version, exit_code: exitCode, checks: checks.map(checkJson) };
    world.stdout.write(`${JSON.stringify(json)}\n`);
  }
  if (failure) throw failure;
  const warnings = checks.filter(({ result }) => result === 'warning').length;
  report?.paragraph(`Nothing failed${warnings === 0 ? '' : `, ${warnings} to look at`}.`);
}
