/** What `gwtoken status` shows, and with --check tries. */

import { clientName } from '../../client';
import { GwtokenError } from '../../errors';
import { firstRunHints, gather } from '../../settings/resolve';
import type { FlagValues, Given } from '../../settings/table';
import type { World } from '../../world';
import { openReport } from '../report';
import { type ClientStatus, readStatus } from './read';
import { COLUMNS, statusCells, statusJson, statusProblems, statusRows } from './text';
import { verifyClients } from './verify';

/** Of the longest name, `credentials`. */
const WIDTH = 11;

export async function showStatus(flags: FlagValues, world: World): Promise<void> {
  const given = gather(flags, world);
  const { clients: read, noneSelected } = readStatus(given, world);
  const isCheck = flags['check'] === true;
  const clients = isCheck ? await verified(read, world) : read;
  if (flags['json'] === true) {
    const nowMs = world.now();
    const report = { clients: clients.map((each) => statusJson(each, nowMs)) };
    world.stdout.write(`${JSON.stringify(report)}\n`);
  } else {
    await writeReport(clients, noneSelected, given, world);
  }
  const failure = firstFailure(clients);
  if (failure) throw failure;
  // Nothing to check is no success either.
  if (isCheck && clients.length === 0 && noneSelected) throw noneSelected;
}

/** Under a spinner, unless a credential command may prompt on the same terminal. */
function verified(clients: readonly ClientStatus[], world: World): Promise<readonly ClientStatus[]> {
  const work = () => verifyClients(clients, world);
  const mayPrompt = clients.some(
    ({ credentials }) => !(credentials instanceof GwtokenError) && credentials.kind === 'command',
  );
  return mayPrompt ? work() : world.terminal.spin('verifying the credentials', work);
}

async function writeReport(
  clients: readonly ClientStatus[],
  noneSelected: GwtokenError | undefined,
  given: Given,
  world: World,
): Promise<void> {
  const report = await openReport({ width: WIDTH, marks: 'before messages' }, world);
  const nowMs = world.now();
  if (given.flags['verbose'] === true) {
    for (const each of clients)
      report.section(
        clientName(each.client),
        statusRows(each, nowMs),
        each.selected ? '(selected)' : undefined,
      );
  } else {
    if (clients.length > 0)
      report.table(
        COLUMNS,
        clients.map((each) => statusCells(each, nowMs)),
      );
    for (const { name, message, ...row } of clients.flatMap(statusProblems))
      report.paragraph(`${name}: ${message}`, row.hints, row.result);
  }
  if (clients.length === 0) report.paragraph('No stored clients. To add one, run: gwtoken login');
  if (noneSelected && !(clients.length === 0 && isFirstRun(noneSelected, given)))
    report.paragraph(`No client selected: ${noneSelected.message}`, noneSelected.hints);
}

/** Whether no client is selected because nothing is set up yet: there is one next step then, and it has been named. */
function isFirstRun({ hints }: GwtokenError, given: Given): boolean {
  return firstRunHints(given).some((hint) => hints.includes(hint));
}

function firstFailure(clients: readonly ClientStatus[]): GwtokenError | undefined {
  for (const { client, verdict } of clients) {
    if (!(verdict instanceof GwtokenError)) continue;
    const { kind, message, detail, hints } = verdict;
    return new GwtokenError(kind, `check failed: ${clientName(client)}: ${message}`, { detail, hints });
  }
  return undefined;
}
