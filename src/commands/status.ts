/** The command `gwtoken status`. It opens no keychain, sends nothing, and shows neither secret nor token. */
import { type Client, clientName, loginCommand, parseClientName, REGIONS, shortId } from '../client';
import type { CredentialSource } from '../credentials/source';
import { sourceOf } from '../credentials/sources';
import { GwtokenError } from '../errors';
import { hintsFor } from '../hints/hints';
import { selecting } from '../settings/resolve';
import type { FlagValues, Settings } from '../settings/table';
import { duration, utcTime } from '../text';
import { cachedEntry, lifeLeftMs } from '../token/cache';
import { keyOf } from '../token/key';
import type { World } from '../world';
import { alignRows, hintLine } from './report';
import { readSettings } from './selected-token';

export async function showStatus(flags: FlagValues, world: World): Promise<void> {
  const settings = readSettings(flags, world);
  const rows = readRows(settings, world);
  if (flags.json) {
    world.stdout.write(`${JSON.stringify({ clients: rows.map((row) => rowJson(row, world.now())) })}\n`);
  } else if (rows.length === 0) {
    const error = new GwtokenError('no-credentials', 'no client stored yet', [], { reason: 'no-client' });
    const [hint] = hintsFor(error, settings);
    world.stdout.write(`No stored clients; ${hint}\n`);
  } else {
    await writeTable(rows, world);
    if (!rows.some(({ isSelected }) => isSelected)) await sayHowToSelect(settings, world);
  }
}

/** A client, and what is known of it without its keychain item. */
interface Row {
  readonly client: Client;
  readonly isSelected: boolean;
  readonly source: CredentialSource;
  /** Lifetime left of its cached token, in ms; 0 without one. */
  readonly leftMs: number;
  readonly clientId: string | undefined;
  /** The setting with another auth URL, for which `get` refuses the credentials; undefined without one. */
  readonly refusedFor: string | undefined;
}

/** Returns the stored clients and the selected one, by name. Throws `usage` for an invalid setting. */
function readRows(settings: Settings, world: World): readonly Row[] {
  const selected = settings.region && clientName(settings.client);
  const names = [...Object.keys(settings.stored()), ...(selected ? [selected] : [])];
  return [...new Set(names)].sort().flatMap((name) => {
    const client = parseClientName(name);
    if (!client) return [];
    const isSelected = name === selected;
    const row = toRow(isSelected ? settings : selecting(client, settings), isSelected, world);
    // A selected client without credentials, login and cached token has no row.
    return row.source.kind === 'keychain' && row.clientId === undefined ? [] : [row];
  });
}

function toRow(settings: Settings, isSelected: boolean, world: World): Row {
  const { client, authUrl, stored } = settings;
  const source = sourceOf(settings, world);
  const cached = cachedEntry(keyOf(settings, source), world);
  const leftMs = cached ? lifeLeftMs(cached, world.now()) : 0;
  const own = source.kind === 'keychain' ? stored()[clientName(client)]?.authUrl : undefined;
  const refusedFor = own !== undefined && authUrl?.value !== own ? authUrl?.source.name : undefined;
  return { client, isSelected, source, leftMs, clientId: source.clientId ?? cached?.clientId, refusedFor };
}

/** Says why no client is marked, and what to type. */
async function sayHowToSelect(settings: Settings, { stdout, terminal }: World): Promise<void> {
  const hint = settings.region
    ? `${clientName(settings.client)} is not stored; run: ${loginCommand(settings.client, settings.flags)}`
    : `no region is set: add --region, or run: gwtoken config set region ${REGIONS[0]}`;
  stdout.write(`${hintLine(hint, await terminal.paint('stdout'))}\n`);
}

async function writeTable(rows: readonly Row[], { stdout, terminal }: World): Promise<void> {
  const { bold } = await terminal.paint('stdout');
  const [head = '', ...lines] = alignRows([
    ['  CLIENT', 'CLIENT ID', 'SOURCE', 'TOKEN'],
    ...rows.map((row) => [
      `${row.isSelected ? '*' : ' '} ${clientName(row.client)}`,
      row.clientId === undefined ? 'unknown' : shortId(row.clientId),
      row.source.kind,
      tokenCell(row),
    ]),
  ]);
  const shown = lines.map((line, index) => (rows[index]?.isSelected ? bold(line) : line));
  stdout.write(`${[bold(head), ...shown].join('\n')}\n`);
}

function tokenCell({ refusedFor, leftMs }: Row): string {
  if (refusedFor !== undefined) return `refused: other auth URL (${refusedFor})`;
  return leftMs > 0 ? `${duration(leftMs)} left` : 'not cached';
}

function rowJson({ client, isSelected, source, clientId, leftMs }: Row, nowMs: number): object {
  const expires = { expires_at: utcTime(nowMs + leftMs), expires_in: Math.floor(leftMs / 1000) };
  return {
    name: clientName(client),
    ...client,
    selected: isSelected,
    credentials: { source: source.kind, name: source.name },
    client_id: clientId ?? null,
    auth_url: source.authUrl?.value ?? null,
    token: leftMs > 0 ? expires : null,
  };
}
