/** What `gwtoken status` says of a client: rows for people, an object for programs. Never a secret or a token. */

import { clientFlags, clientName } from '../../client';
import { GwtokenError } from '../../errors';
import { exitCodeFor } from '../../exit-codes';
import { shellWord } from '../../text';
import type { Row } from '../report';
import type { ClientStatus, Verdict } from './read';

export function statusRows(status: ClientStatus, nowMs: number): Row[] {
  const { credentials, token, verdict } = status;
  return [
    {
      name: 'credentials',
      ...(credentials instanceof GwtokenError ? problem(credentials) : { message: credentials.name }),
    },
    { name: 'client id', message: shownId(status) ?? 'not known' },
    { name: 'auth URL', ...authUrlText(status) },
    { name: 'token', message: token ? `cached, ${lapse(token.expiresAtMs - nowMs)} left` : 'none cached' },
    ...(verdict === undefined ? [] : [{ name: 'check', ...verdictText(verdict) }]),
  ];
}

/** `abcd…wxyz`: enough to tell clients apart. */
function shownId({ clientId, verdict }: ClientStatus): string | undefined {
  const id = clientId ?? (verdict instanceof GwtokenError ? undefined : verdict?.clientId);
  if (id === undefined) return undefined;
  const shown = Math.min(4, Math.floor(id.length / 4));
  return `${id.slice(0, shown)}…${id.slice(id.length - shown)}`;
}

function authUrlText({ client, authUrl, boundTo }: ClientStatus): Omit<Row, 'name'> {
  if (authUrl instanceof GwtokenError) return problem(authUrl);
  if (authUrl === undefined) {
    if (boundTo === undefined) return { message: 'none' };
    return { result: 'warning', message: `none, but the credentials are bound to ${boundTo}` };
  }
  const message = `${authUrl.value} (${authUrl.source.name})`;
  if (boundTo === undefined || boundTo === authUrl.value) return { message };
  return {
    result: 'warning',
    message: `${message}, but the credentials are bound to ${boundTo}`,
    hints: [
      `to bind them anew, run: gwtoken login ${clientFlags(client)} --auth-url ${shellWord(authUrl.template)}`,
    ],
  };
}

function verdictText(verdict: Verdict): Omit<Row, 'name'> {
  if (verdict instanceof GwtokenError) return problem(verdict, verdict.hints);
  const life = verdict.lifetimeS === undefined ? '' : ` that lives ${lapse(verdict.lifetimeS * 1000)}`;
  return { result: 'ok', message: `the endpoint gave a token${life}` };
}

function problem({ message }: GwtokenError, hints: readonly string[] = []): Omit<Row, 'name'> {
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
