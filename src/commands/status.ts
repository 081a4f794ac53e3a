/** Output of `gwtoken status`: it opens no keychain, sends nothing, and shows neither secret nor token. */

import { type Client, clientFlags, clientName, parseClientName, REGIONS, shortId } from '../client';
import { configLine, waysToAuthUrl } from '../credentials/auth-url';
import { overriding, sourceOf } from '../credentials/sources';
import { clientParts, gather, resolve, resolveClient } from '../settings/resolve';
import { type FlagValues, SETTINGS, type SettingSources } from '../settings/table';
import { duration, utcTime } from '../text';
import { lifeLeftMs, ownEntry } from '../token/cache';
import type { World } from '../world';
import { alignRows, type Finding, writeFindings } from './report';
import { waysToCredentials } from './selected-token';

export async function showStatus(flags: FlagValues, world: World): Promise<void> {
  const sources = gather(flags, world);
  const rows = readRows(sources, world);
  if (flags.json) {
    world.stdout.write(`${JSON.stringify({ clients: rows.map((row) => rowJson(row, world.now())) })}\n`);
  } else if (rows.length === 0) {
    world.stdout.write(
      'No stored clients. To add one, run: gwtoken login (without a keychain: gwtoken help keychain)\n',
    );
  } else {
    const findings = findingsOf(rows, sources);
    await writeTable(rows, world);
    if (findings.length > 0) world.stdout.write('\n');
    await writeFindings(findings, world);
  }
}

/** Returns the stored clients and the selected one, by name. Throws `usage` for an invalid setting. */
function readRows(sources: SettingSources, world: World) {
  const selected = clientParts(sources).region && resolveClient(sources);
  const selectedName = selected && clientName(selected);
  const storedClients = world.clients.read();
  // Credentials in variables are for the profile that commands without --profile use.
  const { value: profile } = resolve(SETTINGS.profile, { ...sources, flags: {} });
  const row = (client: Client) => {
    const isSelected = clientName(client) === selectedName;
    const skipsVariables = isSelected ? undefined : client.profile !== profile;
    const source = sourceOf(sources, client, world, skipsVariables);
    const authUrl = resolve(SETTINGS.authUrl, sources, client);
    const stored = storedClients[clientName(client)];
    const entry = authUrl && ownEntry({ client, authUrl, source }, world);
    const leftMs = entry ? lifeLeftMs(entry, world.now()) : 0;
    const known = source.kind === 'keychain' ? (stored ?? entry) : entry;
    const clientId = source.clientId ?? known?.clientId;
    return { client, isSelected, source, authUrl, stored, leftMs, clientId: clientId && shortId(clientId) };
  };
  return [...new Set([...Object.keys(storedClients), ...(selectedName ? [selectedName] : [])])]
    .sort()
    .flatMap((name) => parseClientName(name) ?? [])
    .map(row);
}

type Row = ReturnType<typeof readRows>[number];

async function writeTable(rows: readonly Row[], { stdout, terminal }: World): Promise<void> {
  const { bold } = await terminal.paint('stdout');
  const [head = '', ...lines] = alignRows([
    ['  CLIENT', 'CLIENT ID', 'SOURCE', 'TOKEN', 'AUTH URL'],
    ...rows.map(({ client, isSelected, source, authUrl, clientId, leftMs }) => [
      `${isSelected ? '*' : ' '} ${clientName(client)}`,
      clientId ?? 'unknown',
      source.kind,
      leftMs > 0 ? `${duration(leftMs)} left` : 'not cached',
      authUrl?.value ?? 'not set',
    ]),
  ]);
  const shown = lines.map((line, index) => (rows[index]?.isSelected ? bold(line) : line));
  stdout.write(`${[bold(head), ...shown].join('\n')}\n`);
}

/** Returns what keeps stored credentials from being used; what overrides several of them is said once. */
function findingsOf(rows: readonly Row[], sources: SettingSources): Finding[] {
  const overrides = new Set(rows.flatMap(({ source, stored }) => (stored && overriding(source)) ?? []));
  const findings = [...overrides].map((message) => warning(message));
  for (const { client, source, authUrl, clientId, stored } of rows) {
    const login = `gwtoken login ${clientFlags(client)}`;
    if (source.kind !== 'keychain') continue;
    if (clientId === undefined) {
      const message = `no stored credentials for ${clientName(client)}`;
      findings.push(warning(message, ...waysToCredentials(client, login, sources)));
    } else if (stored && stored.authUrl !== authUrl?.value) {
      const now = authUrl ? `${authUrl.source.name} says ${authUrl.value}` : 'no auth URL is set';
      const ways = authUrl
        ? waysToAuthUrl('keychain', stored.authUrl, client, authUrl)
        : [`to set it, ${configLine(stored.authUrl, client)}`];
      const message = `${clientName(client)} was stored for ${stored.authUrl}, but ${now}`;
      findings.push(warning(message, ...ways));
    }
  }
  if (rows.some(({ isSelected }) => isSelected)) return findings;
  const select = `to select one, add --region, or run: gwtoken config set region ${REGIONS[0]}`;
  return [...findings, warning('no client selected: no region set', select)];
}

function warning(message: string, ...hints: string[]): Finding {
  return { result: 'warning', message, hints };
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
