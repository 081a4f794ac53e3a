/** What `gwtoken status` says of a client: a line and rows for people, an object for programs. Never a secret or a token. */

import { clientFlags, clientName } from '../../client';
import { exitCodeFor, GwtokenError } from '../../errors';
import { setAuthUrlCommand } from '../../settings/words';
import { shellWord } from '../../text';
import type { Row } from '../report';
import type { ClientStatus, Verdict } from './read';

/** The heads of the table's columns. */
export const COLUMNS = ['  CLIENT', 'CLIENT ID', 'TOKEN', 'AUTH URL'];

/** A client's line in the table. */
export function statusCells(status: ClientStatus, nowMs: number): readonly string[] {
  const { client, selected, authUrl, token, settings, verdict } = status;
  const none = settings instanceof GwtokenError ? 'unknown' : 'not cached';
  const left = token ? `${roughly(token.expiresAtMs - nowMs)} left` : none;
  return [
    `${selected ? '*' : ' '} ${clientName(client)}`,
    shownId(status) ?? (status.hasCredentials ? 'unknown' : 'none stored'),
    verdict === undefined ? left : verdict instanceof GwtokenError ? 'check failed' : 'OK',
    authUrl instanceof GwtokenError ? 'invalid' : (authUrl?.value ?? 'not set'),
  ];
}

/** What is wrong with a client, each with its fixes: said below the table. */
export function statusProblems(status: ClientStatus): Row[] {
  const { client, credentials, settings } = status;
  const rows = [
    ...(credentials instanceof GwtokenError ? [problem(credentials)] : []),
    ...(status.hasCredentials ? [] : [noneStored(status)]),
    authUrlText(status),
    ...(settings instanceof GwtokenError ? [problem(settings)] : []),
    ...(status.verdict === undefined ? [] : [verdictText(status.verdict)]),
  ];
  return (
    rows
      .filter(({ result }) => result === 'failed' || result === 'warning')
      // A check meets again what the settings have shown.
      .filter(({ message }, index, all) => all.findIndex((each) => each.message === message) === index)
      .map((row) => ({ ...row, name: clientName(client) }))
  );
}

/** The details of --verbose. */
export function statusRows(status: ClientStatus, nowMs: number): Row[] {
  const { client, credentials, settings, token, verdict } = status;
  const from = credentials instanceof GwtokenError ? problem(credentials) : { message: credentials.name };
  const where = `keychain (service gwtoken, account ${clientName(client)})`;
  const stored = status.hasCredentials ? { message: where } : noneStored(status);
  const isKeychain = !(credentials instanceof GwtokenError) && credentials.kind === 'keychain';
  const cached = token ? `cached, expires in ${lapse(token.expiresAtMs - nowMs)}` : 'not cached';
  return [
    { name: 'credentials', ...(isKeychain ? stored : from) },
    { name: 'client ID', message: shownId(status) ?? 'unknown' },
    { name: 'auth URL', ...authUrlText(status) },
    { name: 'token', ...(settings instanceof GwtokenError ? problem(settings) : { message: cached }) },
    ...(verdict === undefined ? [] : [{ name: 'check', ...verdictText(verdict) }]),
  ];
}

function noneStored({ client }: ClientStatus): Omit<Row, 'name'> {
  const hints = [`to store credentials, run: gwtoken login ${clientFlags(client)}`];
  return { result: 'warning', message: 'no stored credentials', hints };
}

/** `abcd…wxyz`: enough to tell clients apart, and no secret, so a short one is shown whole. */
function shownId({ clientId, verdict }: ClientStatus): string | undefined {
  const id = clientId ?? (verdict instanceof GwtokenError ? undefined : verdict?.clientId);
  return id === undefined || id.length <= 8 ? id : `${id.slice(0, 4)}…${id.slice(-4)}`;
}

function authUrlText({ client, authUrl, boundTo }: ClientStatus): Omit<Row, 'name'> {
  if (authUrl instanceof GwtokenError) return problem(authUrl);
  if (authUrl === undefined) {
    if (boundTo === undefined) return { message: 'not set' };
    return {
      result: 'warning',
      message: `not set (the stored credentials belong to ${boundTo})`,
      hints: [`to set the auth URL again, run: ${setAuthUrlCommand(client, boundTo)}`],
    };
  }
  const message = `${authUrl.value} (${authUrl.source.name})`;
  if (boundTo === undefined || boundTo === authUrl.value) return { message };
  return {
    result: 'warning',
    message: `${message}; the stored credentials belong to ${boundTo}`,
    hints: [
      `to log in at the new auth URL, run: gwtoken login ${clientFlags(client)} --auth-url ${shellWord(authUrl.template)}`,
    ],
  };
}

function verdictText(verdict: Verdict): Omit<Row, 'name'> {
  if (verdict instanceof GwtokenError) return problem(verdict);
  const life = verdict.lifetimeS === undefined ? '' : ` valid for ${lapse(verdict.lifetimeS * 1000)}`;
  return { result: 'ok', message: `OK, new token${life}` };
}

function problem({ message, hints }: GwtokenError): Omit<Row, 'name'> {
  return { result: 'failed', message, hints };
}

/** A lapse of time in its two largest units: `59 min 3 s`, `2 h 5 min`. */
function lapse(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const [h, min, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  if (h > 0) return min > 0 ? `${h} h ${min} min` : `${h} h`;
  if (min > 0) return s > 0 ? `${min} min ${s} s` : `${min} min`;
  return `${s} s`;
}

/** The same without the seconds of minutes. */
function roughly(ms: number): string {
  return lapse(ms >= 60_000 ? Math.floor(ms / 60_000) * 60_000 : ms);
}

/** One client as JSON; `check` is null without --check. */
export function statusJson(status: ClientStatus, nowMs: number): object {
  const { client, selected, credentials, authUrl, boundTo, token, verdict } = status;
  return {
    name: clientName(client),
    profile: client.profile,
    environment: client.environment,
    region: client.region,
    selected,
    credentials:
      credentials instanceof GwtokenError
        ? errorJson(credentials)
        : { source: credentials.kind, name: credentials.name },
    client_id: shownId(status) ?? null,
    auth_url: authUrl instanceof GwtokenError ? null : (authUrl?.value ?? null),
    auth_url_source: authUrl instanceof GwtokenError ? null : (authUrl?.source.name ?? null),
    bound_to: boundTo ?? null,
    token: token
      ? {
          expires_at: new Date(token.expiresAtMs).toISOString(),
          expires_in: Math.max(0, Math.floor((token.expiresAtMs - nowMs) / 1000)),
        }
      : null,
    check: verdict === undefined ? null : verdictJson(verdict),
  };
}

function verdictJson(verdict: Verdict): object {
  return verdict instanceof GwtokenError
    ? { ok: false, ...errorJson(verdict) }
    : { ok: true, expires_in: verdict.lifetimeS ?? null };
}

function errorJson({ kind, message, hints }: GwtokenError): object {
  return { error: message, hints, exit_code: exitCodeFor(kind) };
}
