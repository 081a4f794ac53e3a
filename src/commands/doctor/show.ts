/** The report of `gwtoken doctor`: a line for each section, its failed checks, and the verdict. */

import { clientName } from '../../client';
import { failure, GwtokenError } from '../../errors';
import { exitCodeFor } from '../../exit-codes';
import type { FlagValues } from '../../settings/table';
import { oneLine } from '../../text';
import type { World } from '../../world';
import { openReport, type Report } from '../report';
import type { Check, Section } from './check';
import { type Diagnosis, examine } from './examine';

export async function showDiagnosis(flags: FlagValues, world: World): Promise<void> {
  const diagnosis = await examine(flags, world);
  const problem = problemOf(diagnosis);
  const { sections, clients } = diagnosis;
  if (flags['json'] === true) {
    const checks = sections.flatMap(({ title, checks }) => checks.map((check) => checkJson(title, check)));
    const exitCode = problem ? exitCodeFor(problem.kind) : 0;
    world.stdout.write(`${JSON.stringify({ version: world.version, exit_code: exitCode, checks })}\n`);
  } else {
    const report = await openReport(world);
    writeSections(sections, flags['verbose'] === true, report);
    const selected = clients.find((each) => each.selected);
    if (selected && !problem) {
      report.gap();
      report.line({ result: 'ok', message: `get works for ${clientName(selected.client)}` });
    }
  }
  if (problem) throw problem;
}

/** Returns one check as JSON; `exit_code` is null unless it failed. */
function checkJson(section: string, { name, result, message, hints, kind }: Check): object {
  const exitCode = kind ? exitCodeFor(kind) : null;
  return {
    section,
    name,
    result,
    message: oneLine(message),
    hints: hints.map(oneLine),
    exit_code: exitCode,
  };
}

function writeSections(sections: readonly Section[], isVerbose: boolean, report: Report): void {
  const width = Math.max(...sections.map(({ title }) => title.length));
  for (const { title, summary, checks } of sections) {
    const result = worst(checks);
    const shown = isVerbose
      ? checks
      : checks.filter((check) => check.result === 'failed' || check.result === 'warning');
    const inOneLine = summary || 'not checked (see above)';
    report.line({ result, message: shown.length > 0 ? title : `${title.padEnd(width)}  ${inOneLine}` });
    const names = Math.max(0, ...shown.map(({ name }) => name.length));
    for (const check of shown) {
      const name = isVerbose ? `${check.name.padEnd(names)}  ` : `${check.name}: `;
      const hints = isVerbose ? check.hints : check.hints.slice(0, 1);
      report.line({ ...check, message: `${name}${check.message}`, hints }, 2);
    }
  }
}

/** Returns the worst result; `skipped` if no check could be tried. */
function worst(checks: readonly Check[]): Check['result'] {
  const order = ['failed', 'warning', 'ok'] as const;
  return order.find((result) => checks.some((check) => check.result === result)) ?? 'skipped';
}

/** Returns the error that doctor ends with: the verdict, with the exit code of the first failed check. */
function problemOf({ sections, clients }: Diagnosis): GwtokenError | undefined {
  const failed = sections.flatMap(({ checks }) => checks.filter(({ result }) => result === 'failed'));
  const kind = failed[0]?.kind;
  if (kind === undefined) return undefined;
  const selected = clients.find((each) => each.selected);
  const works = selected && !(selected.verdict instanceof GwtokenError);
  const verdict = works ? `get works for ${clientName(selected.client)}, but` : 'get does not work:';
  const count = failed.length === 1 ? '1 check' : `${failed.length} checks`;
  return failure(kind, `${verdict} ${count} failed (see above)`);
}
