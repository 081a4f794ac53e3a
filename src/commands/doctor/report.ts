/** What `gwtoken doctor` shows: each section as soon as it is there. */

import type { FlagValues } from '../../settings/setting';
import type { World } from '../../world/world';
import { marker } from '../marks';
import { type Check, checkJson, exitCodeOf, failureOf } from './check';
import { examine } from './examine';

export async function showDiagnosis(flags: FlagValues, world: World): Promise<void> {
  const sections = examine(flags, world);
  const checks: Check[] = [];
  const json = flags['json'] === true;
  const write = json ? undefined : await writer(world);
  for (const section of sections) {
    const found = await world.terminal.spin('looking', () => section);
    checks.push(...found);
    write?.(found);
  }
  if (json) {
    const exitCode = exitCodeOf(checks);
    const report = { version: world.version, exit_code: exitCode, checks: checks.map(checkJson) };
    world.stdout.write(`${JSON.stringify(report)}\n`);
  }
  const failure = failureOf(checks);
  if (failure) throw failure;
  const warnings = checks.filter(({ result }) => result === 'warning').length;
  if (!json) world.stdout.write(`\nNothing failed${warnings === 0 ? '' : `, ${warnings} to look at`}.\n`);
}

/** Wide enough for the longest name, `credential-command`. */
const WIDTH = 18;

async function writer(world: World): Promise<(checks: readonly Check[]) => void> {
  const paint = await world.terminal.paint('stdout');
  const mark = marker(paint, world);
  let first = true;
  return (checks) => {
    const lines = checks.flatMap(({ name, result, message, hints }) => [
      `  ${mark(result)} ${name.padEnd(WIDTH)}  ${result === 'skipped' ? paint.dim(message) : message}`,
      ...hints.map((hint) => `${' '.repeat(WIDTH + 6)}${paint.cyan('fix:')} ${hint}`),
    ]);
    const between = first ? '' : '\n';
    first = false;
    world.stdout.write(`${between}${paint.bold(checks[0]?.section ?? '')}\n${lines.join('\n')}\n`);
  };
}
