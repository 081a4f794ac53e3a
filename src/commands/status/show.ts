/** What `gwtoken status` shows, and with --check tries. */

import { attempt, failure, GwtokenError } from '../../errors';
import { gather, resolveProfile, resolveRegion } from '../../settings/resolve';
import type { FlagValues, Given } from '../../settings/table';
import type { World } from '../../world';
import { type ClientStatus, checkClients, readClients } from '../clients';
import { openReport } from '../report';
import { COLUMNS, statusJson, statusProblems, statusRow } from './text';

export async function showStatus(flags: FlagValues, world: World): Promise<void> {
  const given = gather(flags, world);
  const { clients: read, noneSelected } = readClients(given, world);
  const isCheck = flags['check'] === true;
  const clients = isCheck ? await checkClients(read, world) : read;
  if (flags['json'] === true) {
    const nowMs = world.now();
    const report = { clients: clients.map((each) => statusJson(each, nowMs)) };
    world.stdout.write(`${JSON.stringify(report)}\n`);
  } else {
    await writeReport(clients, noneSelected, given, world);
  }
  const failed = clients.flatMap(({ verdict }) => (verdict instanceof GwtokenError ? [verdict] : []));
  if (failed[0])
    throw failure(
      failed[0].kind,
      `the check failed for ${failed.length} of ${clients.length} clients (see above)`,
    );
  // Nothing to check is no success either.
  if (isCheck && clients.length === 0 && noneSelected) throw noneSelected;
}

async function writeReport(
  clients: readonly ClientStatus[],
  noneSelected: GwtokenError | undefined,
  given: Given,
  world: World,
): Promise<void> {
  const report = await openReport(world);
  const nowMs = world.now();
  if (clients.length === 0) report.text('No stored clients. To add one, run: gwtoken login');
  else
    report.table(
      COLUMNS,
      clients.map((each) => statusRow(each, nowMs)),
    );
  const said = new Set<string>();
  for (const { client, ...row } of clients.flatMap(statusProblems)) {
    if (said.has(row.message)) continue;
    // A warning has its own line to run for each client.
    if (row.result === 'failed') said.add(row.message);
    report.gap();
    report.line({ ...row, message: `${client}: ${row.message}` });
  }
  // If nothing is stored, the next step has been named already.
  const isUnset = attempt(() => resolveRegion(given, resolveProfile(given).value)) === undefined;
  if (noneSelected && (clients.length > 0 || !isUnset)) {
    report.gap();
    report.text(`No client selected: ${noneSelected.message}`, noneSelected.hints);
  }
}
