/** The command `gwtoken status`. It opens no keychain, sends nothing, and shows neither secret nor token. */

import { type Client, clientName, parseClientName, shortId } from '../client';
import { type CredentialSource, sourceOf } from '../credentials/sources';
import { hintsFor, type Problem } from '../hints';
import { clientParts, onlyFrom, resolve, resolveClient, settingLines } from '../settings/resolve';
import { type FlagValues, SETTINGS, type Setting, type SettingSources } from '../settings/table';
import { duration, utcTime } from '../text';
import { lifeLeftMs, ownEntry } from '../token/cache';
import type { StoredClient, World } from '../world';
import { alignRows, type Finding, writeFindings } from './report';
import { readSettings } from './selected-token';

export async function showStatus(flags: FlagValues, world: World): Promise<void> {
  const sources = readSettings(flags, world);
  const all = readRows(sources, world);
  const rows = all.filter(isKnown);
  if (flags.json) {
    world.stdout.write(`${JSON.stringify({ clients: rows.map((row) => rowJson(row, world.now())) })}\n`);
  } else if (rows.length === 0) {
    const [hint] = hintsFor({ cause: { reason: 'no-client' } }, world, sources);
    world.stdout.write(`No stored clients; ${hint}\n`);
  } else {
    const findings = findingsOf(all, sources, world);
    await writeTable(rows, world);
    if (findings.length > 0) world.stdout.write('\n');
    await writeFindings(findings, world);
  }
}

/** Returns the stored clients and the selected one, by name. Throws `usage` for an invalid setting. */
function readRows(sources: SettingSources, world: World): readonly Row[] {
  const selected = clientParts(sources).region && resolveClient(sources);
  for (const line of selected ? settingLines(sources, selected) : []) world.trace(line);
  const names = [...Object.keys(world.clients.read()), ...(selected ? [clientName(selected)] : [])];
  return [...new Set(names)]
    .sort()
    .flatMap((name) => parseClientName(name) ?? [])
    .map((client) => toRow(client, selected, sources, world));
}

/** A client, and what is known of it without its keychain item. */
interface Row {
  readonly client: Client;
  readonly isSelected: boolean;
  readonly source: CredentialSource;
  readonly authUrl: Setting<string> | undefined;
  /** Its entry in the list of stored clients. */
  readonly stored: StoredClient | undefined;
  /** Lifetime left of its cached token, in ms; 0 without one. */
  readonly leftMs: number;
  /** Client ID, if it is known. */
  readonly clientId: string | undefined;
}

function toRow(client: Client, selected: Client | undefined, sources: SettingSources, world: World): Row {
  const isSelected = selected !== undefined && clientName(client) === clientName(selected);
  const skipsVariables = needsProfileFlag(client, isSelected, sources);
  const source = sourceOf(sources, client, world, { skipsVariables });
  const authUrl = resolve(SETTINGS.authUrl, sources, client);
  const cached = ownEntry({ client, authUrl, source }, world);
  const leftMs = cached ? lifeLeftMs(cached, world.now()) : 0;
  const stored = world.clients.read()[clientName(client)];
  const storedId = source.kind === 'keychain' ? stored?.clientId : undefined;
  const clientId = source.clientId ?? storedId ?? cached?.clientId;
  return { client, isSelected, source, authUrl, stored, leftMs, clientId };
}

/** Returns whether a command for this client needs --profile, which ignores the credentials in variables. */
function needsProfileFlag({ profile }: Client, isSelected: boolean, sources: SettingSources): boolean {
  const { value: withoutFlag } = resolve(SETTINGS.profile, onlyFrom(['variable', 'config'], sources));
  return isSelected ? sources.flags.profile !== undefined : profile !== withoutFlag;
}

/** Returns whether anything is known of the client; the selected one may be unknown. */
function isKnown({ source, clientId }: Row): boolean {
  return source.kind !== 'keychain' || clientId !== undefined;
}

async function writeTable(rows: readonly Row[], { stdout, terminal }: World): Promise<void> {
  const { bold } = await terminal.paint('stdout');
  const [head = '', ...lines] = alignRows([
    ['  CLIENT', 'CLIENT ID', 'SOURCE', 'TOKEN'],
    ...rows.map(({ client, isSelected, source, clientId, leftMs }) => [
      `${isSelected ? '*' : ' '} ${clientName(client)}`,
      clientId === undefined ? 'unknown' : shortId(clientId),
      source.kind,
      leftMs > 0 ? `${duration(leftMs)} left` : 'not cached',
    ]),
  ]);
  const shown = lines.map((line, index) => (rows[index]?.isSelected ? bold(line) : line));
  stdout.write(`${[bold(head), ...shown].join('\n')}\n`);
}

/** Returns the warnings below the table. Each override of stored credentials is named only once. */
function findingsOf(rows: readonly Row[], sources: SettingSources, world: World): Finding[] {
  const overrides = new Set(rows.flatMap(({ source, stored }) => (stored && source.override) ?? []));
  const warning = (message: string, problem: Problem = {}): Finding => {
    return { result: 'warning', message, hints: hintsFor(problem, world, sources) };
  };
  const findings = [...overrides].map((message) => warning(message));
  for (const row of rows) {
    const { client, source, authUrl, stored } = row;
    if (source.kind !== 'keychain') continue;
    if (!isKnown(row)) {
      const message = `no stored credentials for ${clientName(client)}`;
      findings.push(warning(message, { cause: { reason: 'no-credentials' }, subject: { client, source } }));
    } else if (stored && authUrl && stored.authUrl !== authUrl.value) {
      const { source, value } = authUrl;
      const message = `${clientName(client)} was stored for ${stored.authUrl}, but ${source.name} says ${value}`;
      const cause = { reason: 'item-for-other-url', own: stored.authUrl, client, setting: authUrl } as const;
      findings.push(warning(message, { cause }));
    }
  }
  if (rows.some(({ isSelected }) => isSelected)) return findings;
  return [...findings, warning('no client selected: no region set', { cause: { reason: 'none-selected' } })];
}

function rowJson({ client, isSelected, source, authUrl, clientId, leftMs }: Row, nowMs: number): object {
  const expires = {
    expires_at: utcTime(nowMs + leftMs),
    expires_in: Math.floor(leftMs / 1000),
  };
  return {
    name: clientName(client),
    ...client,
    selected: isSelected,
    credentials: { source: source.kind, name: source.name },
    client_id: clientId ?? null,
    auth_url: authUrl?.value ?? null,
    token: leftMs > 0 ? expires : null,
  };
}
