/** Output of `gwtoken status`: a table for people, an object for programs. Never a secret or a token. */

import { clientFlags, clientName, shortId } from '../../client';
import { failure, GwtokenError, usage } from '../../errors';
import { exitCodeFor } from '../../exit-codes';
import { gather, isRegionUnset } from '../../settings/resolve';
import { type FlagValues, SETTINGS, type Setting, type SettingSources } from '../../settings/table';
import { setUrlCommand } from '../../settings/words';
import { duration, shellWord } from '../../text';
import type { World } from '../../world';
import { type ClientStatus, type Clients, checkClients, overriding, readClients } from '../clients';
import { FETCH_FLAGS, spellings } from '../flags';
import { openReport, type ReportLine, type TableRow } from '../report';

export async function showStatus(flags: FlagValues, world: World): Promise<void> {
  const sources = gather(flags, world);
  const { clients: read, noneSelected } = readClients(sources, world);
  const isCheck = flags['check'] === true;
  const idle = FETCH_FLAGS.find(({ name }) => flags[name] !== undefined);
  if (idle && !isCheck)
    throw usage(
      `${spellings(idle)[0]} has an effect only with --check`,
      'to verify each client, add --check',
    );
  const clients = isCheck ? await checkClients(read, world) : read;
  if (flags['json'] === true) {
    const nowMs = world.now();
    const report = { clients: clients.map((each) => statusJson(each, nowMs)) };
    world.stdout.write(`${JSON.stringify(report)}\n`);
  } else {
    await writeReport({ clients, noneSelected }, sources, world);
  }
  const [failed, ...more] = clients.flatMap(({ verdict }) =>
    verdict instanceof GwtokenError ? verdict : [],
  );
  if (failed)
    throw failure(
      failed.kind,
      `the check failed for ${1 + more.length} of ${clients.length} clients (see above)`,
    );
  // Having nothing to check is no success either.
  if (isCheck && clients.length === 0 && noneSelected) throw noneSelected;
}

async function writeReport(
  { clients, noneSelected }: Clients,
  sources: SettingSources,
  world: World,
): Promise<void> {
  const report = await openReport(world);
  const nowMs = world.now();
  if (clients.length === 0) report.text('No stored clients. To add one, run: gwtoken login');
  else {
    const isAnyApi = clients.some(({ apiUrl }) => apiUrl !== undefined);
    report.table(
      ['  CLIENT', 'CLIENT ID', 'TOKEN', 'AUTH URL', ...(isAnyApi ? ['API URL'] : [])],
      clients.map((each) => statusRow(each, nowMs, isAnyApi)),
    );
  }
  const shown = new Set<string>();
  for (const status of clients)
    for (const row of problemsOf(status)) {
      if (shown.has(row.message)) continue;
      // A warning has a command of its own for each client.
      if (row.result === 'failed') shown.add(row.message);
      report.gap();
      report.line({ ...row, message: `${clientName(status.client)}: ${row.message}` });
    }
  // If nothing is stored, the next step has been named already.
  if (noneSelected && (clients.length > 0 || !isRegionUnset(sources))) {
    report.gap();
    report.text(`No client selected: ${noneSelected.message}`, noneSelected.hints);
  }
}

function statusRow(status: ClientStatus, nowMs: number, isAnyApi: boolean): TableRow {
  const { client, selected, authUrl, token, settings, verdict } = status;
  const withoutToken = settings instanceof GwtokenError ? 'unknown' : 'not cached';
  const left = token ? `${duration(token.expiresAtMs - nowMs)} left` : withoutToken;
  const failed = verdict instanceof GwtokenError;
  return {
    cells: [
      `${selected ? '*' : ' '} ${clientName(client)}`,
      shownId(status) ?? (status.hasCredentials ? 'unknown' : 'none stored'),
      verdict === undefined ? left : failed ? 'check failed' : 'OK',
      isAuthUrlUnset(authUrl) ? 'not set' : urlText(authUrl),
      ...(isAnyApi ? [urlText(status.apiUrl)] : []),
    ],
    selected,
    result: verdict && { column: 2, is: failed ? 'failed' : 'ok' },
  };
}

function urlText(url: Setting<string> | GwtokenError | undefined): string {
  return url instanceof GwtokenError ? 'invalid' : (url?.value ?? 'not set');
}

/** Returns the problems of a client; the verdict of a check covers all of them in one sentence. */
function problemsOf(status: ClientStatus): ReportLine[] {
  const { plan, settings, authUrl, apiUrl, verdict } = status;
  const parts = isAuthUrlUnset(authUrl) ? [plan, apiUrl, settings] : [plan, authUrl, apiUrl, settings];
  const found = verdict === undefined ? parts : [verdict];
  const rows = found.flatMap((each): ReportLine[] =>
    each instanceof GwtokenError ? [{ result: 'failed', message: each.message, hints: each.hints }] : [],
  );
  if (verdict === undefined) rows.push(...warnings(status));
  const overridden = overriding(status);
  if (overridden !== undefined) rows.push({ result: 'warning', message: overridden });
  return rows;
}

function warnings(status: ClientStatus): ReportLine[] {
  const { client, authUrl } = status;
  const login = `gwtoken login ${clientFlags(client)}`;
  const warning = (message: string, hint: string): ReportLine => ({
    result: 'warning',
    message,
    hints: [hint],
  });
  const boundTo = boundUrl(status);
  if (!status.hasCredentials) return [warning('no stored credentials', `to store them, run: ${login}`)];
  if (boundTo === undefined) return [];
  if (isAuthUrlUnset(authUrl)) {
    const message = `the auth URL is not set, but the stored credentials are for ${boundTo}`;
    return [warning(message, `to set it again, run: ${setUrlCommand(SETTINGS.authUrl, client, boundTo)}`)];
  }
  if (authUrl instanceof GwtokenError || authUrl.value === boundTo) return [];
  const { value, source, template } = authUrl;
  return [
    warning(
      `the auth URL is ${value} (from ${source.name}), but the stored credentials are for ${boundTo}`,
      `to log in at the new auth URL, run: ${login} --auth-url ${shellWord(template)}`,
    ),
  ];
}

/** Returns whether there is no auth URL, which is a state of a client and no error of its settings. */
function isAuthUrlUnset(authUrl: ClientStatus['authUrl']): boolean {
  return authUrl instanceof GwtokenError && authUrl.reason === 'not-set';
}

/** Returns the auth URL that login verified the stored credentials with, if those are used. */
function boundUrl({ source, stored }: ClientStatus): string | undefined {
  return source === 'keychain' ? stored?.authUrl : undefined;
}

function shownId({ clientId, verdict }: ClientStatus): string | undefined {
  const id = clientId ?? (verdict instanceof GwtokenError ? undefined : verdict?.clientId);
  return id === undefined ? undefined : shortId(id);
}

/** Returns a client as JSON; `check` is null without --check. */
function statusJson(status: ClientStatus, nowMs: number): object {
  const { client, selected, plan, authUrl, apiUrl, token, verdict } = status;
  const url = authUrl instanceof GwtokenError ? undefined : authUrl;
  return {
    name: clientName(client),
    profile: client.profile,
    environment: client.environment,
    region: client.region,
    selected,
    credentials: plan instanceof GwtokenError ? errorJson(plan) : { source: plan.kind, name: plan.name },
    client_id: shownId(status) ?? null,
    auth_url: url?.value ?? null,
    auth_url_source: url?.source.name ?? null,
    bound_to: boundUrl(status) ?? null,
    api_url: apiUrl instanceof GwtokenError ? null : (apiUrl?.value ?? null),
    token: token
      ? {
          expires_at: new Date(token.expiresAtMs).toISOString(),
          expires_in: Math.max(0, Math.floor((token.expiresAtMs - nowMs) / 1000)),
        }
      : null,
    check: verdict ? verdictJson(verdict) : null,
  };
}

function verdictJson(verdict: NonNullable<ClientStatus['verdict']>): object {
  if (verdict instanceof GwtokenError) return { ok: false, ...errorJson(verdict) };
  return { ok: true, expires_in: verdict.lifetimeS ?? null };
}

function errorJson({ kind, message, hints }: GwtokenError): object {
  return { error: message, hints, exit_code: exitCodeFor(kind) };
}
