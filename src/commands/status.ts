/** The command `gwtoken status`. It opens no keychain, sends nothing, and shows neither secret nor token. */
import { type Client, clientName, parseClientName, REGIONS, shortId } from '../client';
import { otherUrlHints } from '../credentials/keychain';
import type { CredentialSource } from '../credentials/source';
import { sourceOf } from '../credentials/sources';
import { GwtokenError, usage } from '../errors';
import { hintsFor } from '../hints/hints';
import { selecting } from '../settings/resolve';
import type { FlagValues, Settings } from '../settings/table';
import { duration, utcTime } from '../text';
import { cachedEntry, lifeLeftMs } from '../token/cache';
import { keyOf } from '../token/key';
import type { World } from '../world';
import { alignRows, writeFindings } from './report';
import { readSettings } from './selected-token';

export async function showStatus(flags: FlagValues, world: World): Promise<void> {
  const settings = readSettings(flags, world);
  const all = readRows(settings, world);
  // Nothing may be known of the selected client.
  const rows = all.filter(({ source, clientId }) => source.kind !== 'keychain' || clientId !== undefined);
  if (flags.json) {
    world.stdout.write(`${JSON.stringify({ clients: rows.map((row) => rowJson(row, world.now())) })}\n`);
  } else if (rows.length === 0) {
    const error = new GwtokenError('no-credentials', 'no client stored yet', [], { reason: 'no-client' });
    const [hint] = hintsFor(error, settings);
    world.stdout.write(`No stored clients; ${hint}\n`);
  } else {
    await writeTable(rows, world);
    const warnings = all.flatMap(({ warning }) => warning ?? []);
    if (!settings.region) warnings.push(noneSelected());
    const findings = warnings.map((warning) => {
      return { result: 'warning', message: warning.message, hints: hintsFor(warning, settings) } as const;
    });
    if (findings.length > 0) world.stdout.write('\n');
    await writeFindings(findings, world);
  }
}

/** Returns the stored clients and the selected one, by name. Throws `usage` for an invalid setting. */
function readRows(settings: Settings, world: World): readonly Row[] {
  const selected = settings.region && clientName(settings.client);
  const names = [...Object.keys(settings.stored()), ...(selected ? [selected] : [])];
  return [...new Set(names)].sort().flatMap((name) => {
    const client = parseClientName(name);
    if (!client) return [];
    const isSelected = name === selected;
    return toRow(isSelected ? settings : selecting(client, settings), isSelected, world);
  });
}

/** A client, and what is known of it without its keychain item. */
interface Row {
  readonly client: Client;
  readonly isSelected: boolean;
  readonly source: CredentialSource;
  /** Lifetime left of its cached token, in ms; 0 without one. */
  readonly leftMs: number;
  readonly clientId: string | undefined;
  /** Present if `get` would fail. */
  readonly warning: GwtokenError | undefined;
}

function noneSelected(): GwtokenError {
  return usage('no client selected: no region set', [
    `to select one, add --region, or run: gwtoken config set region ${REGIONS[0]}`,
  ]);
}

function toRow(settings: Settings, isSelected: boolean, world: World): Row {
  const { client } = settings;
  const source = sourceOf(settings, world);
  const cached = cachedEntry(keyOf(settings, source), world);
  const leftMs = cached ? lifeLeftMs(cached, world.now()) : 0;
  const clientId = source.clientId ?? cached?.clientId;
  const warning = warningFor(settings, source, clientId);
  return { client, isSelected, source, leftMs, clientId, warning };
}

/** Returns the warning for a client of which nothing is known, or that was stored for another auth URL. */
function warningFor(
  settings: Settings,
  source: CredentialSource,
  clientId: string | undefined,
): GwtokenError | undefined {
  const { client, authUrl, stored } = settings;
  if (source.kind !== 'keychain') return undefined;
  const name = clientName(client);
  if (clientId === undefined) {
    const message = `no stored credentials for ${name}`;
    return new GwtokenError('no-credentials', message, [], { reason: 'no-credentials', source });
  }
  const own = stored()[name]?.authUrl;
  if (own === undefined || !authUrl || authUrl.value === own) return undefined;
  const message = `${name} was stored for ${own}, but ${authUrl.source.name} says ${authUrl.value}`;
  return usage(message, otherUrlHints(authUrl, settings));
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

function tokenCell({ warning, leftMs }: Row): string {
  if (warning) return 'refused (see below)';
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
