/** What `gwtoken status` shows, and with --check tries. */

import { clientName } from '../../client';
import { GwtokenError } from '../../errors';
import { gather } from '../../settings/resolve';
import type { FlagValues } from '../../settings/setting';
import type { World } from '../../world/world';
import { openReport } from '../report';
import { type ClientStatus, readStatus } from './read';
import { statusJson, statusRows } from './text';
import { verifyClients } from './verify';

/** Of the longest name, `credentials`. */
const WIDTH = 11;

export async function showStatus(flags: FlagValues, world: World): Promise<void> {
  const { clients: read, noneSelected } = readStatus(gather(flags, world), world);
  const isCheck = flags['check'] === true;
  const clients = isCheck ? await world.terminal.spin('checking', () => verifyClients(read, world)) : read;
  if (flags['json'] === true) {
    const nowMs = world.now();
    const report = { clients: clients.map((each) => statusJson(each, nowMs)) };
    world.stdout.write(`${JSON.stringify(report)}\n`);
  } else {
    await writeReport(clients, noneSelected, world);
  }
  const failure = firstFailure(clients);
  if (failure) throw failure;
  // Nothing to check is no success either.
  if (isCheck && clients.length === 0 && noneSelected) throw noneSelected;
}

async function writeReport(
  clients: readonly ClientStatus[],
  noneSelected: GwtokenError | undefined,
  world: World,
): Promise<void> {
  const report = await openReport({ width: WIDTH, marks: 'before messages' }, world);
  for (const each of clients) {
    const note = each.selected ? '(what the settings name)' : undefined;
    report.section(clientName(each.client), statusRows(each, world.now()), note);
  }
  if (clients.length === 0) report.paragraph('gwtoken knows no client yet: gwtoken login stores one');
  if (noneSelected)
    report.paragraph(`The settings name no client: ${noneSelected.message}`, noneSelected.hints);
}

function firstFailure(clients: readonly ClientStatus[]): GwtokenError | undefined {
  for (const { client, verdict } of clients) {
    if (!(verdict instanceof GwtokenError)) continue;
    const { kind, message, reason, detail, hints } = verdict;
    const more = { reason, detail, hints };
    return new GwtokenError(kind, `check failed: ${clientName(client)}: ${message}`, more);
  }
  return undefined;
}
