/** Output of `gwtoken status`: it opens no keychain, sends nothing, and shows neither secret nor token. */

import { type Client, clientFlags, clientName, parseClientName, REGIONS, shortId } from '../../client';
import { type CredentialPlan, overriding } from '../../credentials/plan';
import {
  type ClientSettings,
  gather,
  isRegionUnset,
  resolveAuthUrl,
  resolveClient,
  resolveProfile,
} from '../../settings/resolve';
import type { AuthUrl, FlagValues, SettingSources } from '../../settings/table';
import { duration } from '../../text';
import { lifeLeftMs, ownEntry } from '../../token/cache';
import type { KnownEntry, World } from '../../world';
import { planOf } from '../query';
import { alignRows, type Finding, writeFindings } from '../report';

interface Row {
  readonly client: Client;
  readonly isSelected: boolean;
  readonly plan: CredentialPlan;
  readonly authUrl: AuthUrl | undefined;
  /** Undefined if the credentials were never seen: they come from a command, or are not stored. */
  readonly clientId: string | undefined;
  /** What login stored, even if the credentials come from elsewhere. */
  readonly stored: KnownEntry | undefined;
  /** Lifetime left of the cached token that would be used; undefined if there is none. */
  readonly leftMs: number | undefined;
}

export async function showStatus(flags: FlagValues, world: World): Promise<void> {
  const sources = gather(flags, world);
  const selected = isRegionUnset(sources) ? undefined : resolveClient(sources);
  const rows = rowsOf(selected, sources, world);
  if (flags['json'] === true) {
    const nowMs = world.now();
    world.stdout.write(`${JSON.stringify({ clients: rows.map((row) => rowJson(row, nowMs)) })}\n`);
  } else if (rows.length === 0) {
    world.stdout.write('No stored clients. To add one, run: gwtoken login\n');
  } else {
    await writeTable(rows, world);
    const findings = [...findingsOf(rows), ...(selected ? [] : [NONE_SELECTED])];
    if (findings.length > 0) world.stdout.write('\n');
    await writeFindings(findings, world);
  }
}

const NONE_SELECTED: Finding = {
  result: 'warning',
  message: 'no client selected: no region set',
  hints: [`to select one, add --region, or run: gwtoken config set region ${REGIONS[0]}`],
};

/** Returns the stored clients and the selected one, by name. Throws `usage` for an invalid setting. */
function rowsOf(selected: ClientSettings | undefined, sources: SettingSources, world: World): Row[] {
  const known = world.clients.read();
  const selectedName = selected && clientName(selected.client);
  // Credentials in variables are for the profile that commands without --profile use.
  const { value: profile } = resolveProfile({ ...sources, flags: {} });
  return [...new Set([...Object.keys(known), ...(selectedName === undefined ? [] : [selectedName])])]
    .sort()
    .flatMap((name) => parseClientName(name) ?? [])
    .map((client) => {
      const isSelected = clientName(client) === selectedName;
      const skipVariables = isSelected ? selected!.skipVariables : client.profile !== profile;
      const plan = planOf(sources, { client, skipVariables }, world);
      const authUrl = resolveAuthUrl(sources, client);
      const stored = known[clientName(client)];
      const entry = authUrl && ownEntry({ client, authUrl, plan }, world);
      const leftMs = entry && lifeLeftMs(entry, world.now());
      const used = plan.kind === 'keychain' ? stored : undefined;
      return {
        client,
        isSelected,
        plan,
        authUrl,
        clientId: plan.kind === 'variables' ? plan.credentials.clientId : (used ?? entry)?.clientId,
        stored,
        leftMs: leftMs && leftMs > 0 ? leftMs : undefined,
      };
    });
}

async function writeTable(rows: readonly Row[], { stdout, terminal }: World): Promise<void> {
  const { bold } = await terminal.paint('stdout');
  const cells = rows.map(({ client, isSelected, plan, authUrl, clientId, leftMs }) => [
    `${isSelected ? '*' : ' '} ${clientName(client)}`,
    clientId === undefined ? 'unknown' : shortId(clientId),
    plan.kind,
    leftMs === undefined ? 'not cached' : `${duration(leftMs)} left`,
    authUrl?.value ?? 'not set',
  ]);
  const [head = '', ...lines] = alignRows([
    ['  CLIENT', 'CLIENT ID', 'SOURCE', 'TOKEN', 'AUTH URL'],
    ...cells,
  ]);
  const shown = lines.map((line, index) => (rows[index]?.isSelected ? bold(line) : line));
  stdout.write(`${[bold(head), ...shown].join('\n')}\n`);
}

/** Returns what keeps stored credentials from being used; what overrides several of them is said once. */
function findingsOf(rows: readonly Row[]): Finding[] {
  const overrides = rows.flatMap(({ plan, stored }) => (stored && overriding(plan)) ?? []);
  return [
    ...[...new Set(overrides)].map((message) => warning(message)),
    ...rows.flatMap(({ client, plan, authUrl, clientId, stored }) => {
      const name = clientName(client);
      const login = `gwtoken login ${clientFlags(client)}`;
      if (plan.kind !== 'keychain') return [];
      if (clientId === undefined)
        return [warning(`no stored credentials for ${name}`, `to store them, run: ${login}`)];
      if (stored === undefined || stored.authUrl === authUrl?.value) return [];
      const now = authUrl ? `${authUrl.source.name} says ${authUrl.value}` : 'no auth URL is set';
      return [
        warning(`${name} was stored for ${stored.authUrl}, but ${now}`, `to log in again, run: ${login}`),
      ];
    }),
  ];
}

function warning(message: string, ...hints: string[]): Finding {
  return { result: 'warning', message, hints };
}

function rowJson({ client, isSelected, plan, authUrl, clientId, leftMs }: Row, nowMs: number): object {
  return {
    name: clientName(client),
    ...client,
    selected: isSelected,
    credentials: { source: plan.kind, name: plan.name },
    client_id: clientId === undefined ? null : shortId(clientId),
    auth_url: authUrl?.value ?? null,
    token:
      leftMs === undefined
        ? null
        : { expires_at: new Date(nowMs + leftMs).toISOString(), expires_in: Math.floor(leftMs / 1000) },
  };
}
