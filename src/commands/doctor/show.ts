/** Output of `gwtoken doctor`: a line for each step, or JSON; then the error of the step that failed. */

import { GwtokenError } from '../../errors';
import { EXIT_CODES } from '../../exit-codes';
import type { FlagValues } from '../../settings/table';
import { oneLine } from '../../text';
import type { World } from '../../world';
import { writeFindings } from '../report';
import type { Check } from './check';
import { diagnose } from './diagnose';

export async function showDiagnosis(flags: FlagValues, world: World): Promise<void> {
  const checks = await diagnose(flags, world);
  const { name: failedStep, error } = checks.find((check) => check.error) ?? {};
  if (flags['json'] === true) {
    const report = {
      version: world.version,
      exit_code: error ? EXIT_CODES[error.kind] : 0,
      checks: checks.map(checkJson),
    };
    world.stdout.write(`${JSON.stringify(report)}\n`);
  } else {
    const width = Math.max(...checks.map(({ name }) => name.length));
    const lines = checks.map(({ name, message, ...rest }) => ({
      ...rest,
      message: `${name.padEnd(width)}  ${message}`,
    }));
    await writeFindings(lines, world);
  }
  if (!error) return;
  const message = `cannot get a new token: ${failedStep} failed (see above)`;
  throw new GwtokenError(error.kind, message, { detail: error.detail });
}

/** Returns a check as JSON; `exit_code` is null unless it failed. */
function checkJson({ name, result, message, hints, error }: Check): object {
  const exitCode = error ? EXIT_CODES[error.kind] : null;
  return { name, result, message: oneLine(message), hints: hints.map(oneLine), exit_code: exitCode };
}
