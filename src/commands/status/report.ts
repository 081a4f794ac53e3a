/** What `gwtoken status` shows, and with --check tries. */

import { clientName } from '../../client';
import { GwtokenError } from '../../errors';
import { gather } from '../../settings/resolve';
import type { FlagValues } from '../../settings/setting';
import type { World } from '../../world/world';
import { marker } from '../marks';
import { type ClientStatus, readStatus, type Status } from './read';
import { statusJson, statusText } from './text';
import { checkClients, type Verdict } from './verify';

export async function showStatus(flags: FlagValues, world: World): Promise<void> {
  const status = await readStatus(gather(flags, world), world);
  const { clients } = status;
  const verdicts =
    flags['check'] === true
      ? await world.terminal.spin('checking', () => checkClients(clients, world))
      : undefined;
  if (flags['json'] === true) {
    const nowMs = world.now();
    const report = { clients: clients.map((each) => statusJson(each, verdicts?.get(each), nowMs)) };
    world.stdout.write(`${JSON.stringify(report)}\n`);
  } else {
    await writeText(status, verdicts, world);
  }
  const failure = verdicts && failureOf(status, verdicts);
  if (failure) throw failure;
}

async function writeText(
  { clients, noneSelected }: Status,
  verdicts: ReadonlyMap<ClientStatus, Verdict> | undefined,
  world: World,
): Promise<void> {
  const paint = await world.terminal.paint('stdout');
  const style = { paint, mark: marker(paint, world) };
  const texts = clients.map((each) => statusText(each, verdicts?.get(each), world.now(), style));
  if (clients.length === 0) texts.push('gwtoken knows no client yet: gwtoken login stores one\n');
  if (noneSelected) {
    const hints = noneSelected.hints.map((hint) => `  ${paint.cyan('fix:')} ${hint}\n`);
    texts.push(`The settings name no client: ${noneSelected.message}\n${hints.join('')}`);
  }
  world.stdout.write(texts.join('\n'));
}

/** With --check: the first client's that failed; and nothing to check is no success either. */
function failureOf(
  { clients, noneSelected }: Status,
  verdicts: ReadonlyMap<ClientStatus, Verdict>,
): GwtokenError | undefined {
  if (clients.length === 0) return noneSelected;
  for (const each of clients) {
    const verdict = verdicts.get(each);
    if (verdict instanceof GwtokenError) {
      return new GwtokenError(verdict.kind, `check failed: ${clientName(each.client)}: ${verdict.message}`, {
        reason: verdict.reason,
        detail: verdict.detail,
        hints: verdict.hints,
      });
    }
  }
  return undefined;
}
