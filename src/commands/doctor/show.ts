/** What `gwtoken doctor` shows: a line for each section that is fine, what is not fine, and the verdict at the end. */

import { clientName } from '../../client';
import { exitCodeFor, failure, GwtokenError } from '../../errors';
import type { FlagValues } from '../../settings/table';
import type { World } from '../../world';
import { openReport } from '../report';
import { checkJson, type Section, worst } from './check';
import { type Diagnosis, examine } from './examine';

export async function showDiagnosis(flags: FlagValues, world: World): Promise<void> {
  const diagnosis = await examine(flags, world);
  const problem = problemOf(diagnosis);
  const { sections, clients } = diagnosis;
  if (flags['json'] === true) {
    const checks = sections.flatMap((section) => section.checks.map(checkJson));
    const exitCode = problem ? exitCodeFor(problem.kind) : 0;
    world.stdout.write(`${JSON.stringify({ version: world.version, exit_code: exitCode, checks })}\n`);
  } else {
    await writeSections(sections, flags['verbose'] === true, world);
    const [selected] = clients;
    if (selected && !problem) {
      const report = await openReport(world);
      report.gap();
      report.line({ result: 'ok', message: `get works for ${clientName(selected.client)}` });
    }
  }
  if (problem) throw problem;
}

async function writeSections(sections: readonly Section[], isVerbose: boolean, world: World): Promise<void> {
  const report = await openReport(world);
  const width = Math.max(...sections.map(({ title }) => title.length));
  for (const { title, summary, checks } of sections) {
    const result = worst(checks);
    const shown = isVerbose
      ? checks
      : checks.filter((check) => check.result === 'failed' || check.result === 'warning');
    const message = shown.length > 0 ? title : `${title.padEnd(width)}  ${summary}`;
    const skipped = `${title.padEnd(width)}  not checked (see above)`;
    report.line({ result, message: result === 'skipped' && !isVerbose ? skipped : message });
    const names = Math.max(0, ...shown.map(({ name }) => name.length));
    for (const check of shown) {
      const name = isVerbose ? `${check.name.padEnd(names)}  ` : `${check.name}: `;
      const hints = isVerbose ? check.hints : check.hints.slice(0, 1);
      report.line({ ...check, message: `${name}${check.message}`, hints }, 2);
    }
  }
}

/** The error that doctor ends with: the verdict, with the exit code of the first failed check. */
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
