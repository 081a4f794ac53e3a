/** How `gwtoken status` shows what it knows: lines for people, an object for programs. Never a secret or a token. */

import { clientFlags, clientName } from '../../client';
import { GwtokenError } from '../../errors';
import { oneLine } from '../../text';
import type { Paint } from '../../world/streams';
import type { Mark } from '../marks';
import { type ClientStatus, maskMiddle } from './read';
import type { Verdict } from './verify';

interface Style {
  readonly paint: Paint;
  readonly mark: (mark: Mark) => string;
}

interface Row {
  readonly name: string;
  readonly mark?: Mark;
  readonly text: string;
  readonly hints?: readonly string[];
}

/** The lines of one client, ending with one LF each. `verdict` is undefined without --check. */
export function statusText(
  status: ClientStatus,
  verdict: Verdict | undefined,
  nowMs: number,
  { paint, mark: sign }: Style,
): string {
  const { client, selected, credentials, token } = status;
  const rows: Row[] = [
    {
      name: 'credentials',
      ...(credentials instanceof GwtokenError ? problem(credentials) : { text: credentials.name }),
    },
    { name: 'client id', text: shownId(status, verdict) },
    { name: 'auth URL', ...authUrlText(status) },
    { name: 'token', text: token ? `cached, ${left(token.expiresAtMs - nowMs)} left` : 'none cached' },
    ...(verdict === undefined ? [] : [{ name: 'check', ...verdictText(verdict) }]),
  ];
  const lines = rows.flatMap(({ name, mark, text, hints = [] }) => [
    `  ${paint.dim(name.padEnd(11))}  ${mark ? `${sign(mark)} ` : ''}${oneLine(text)}`,
    ...hints.map((hint) => `${' '.repeat(15)}${paint.cyan('fix:')} ${oneLine(hint)}`),
  ]);
  const which = selected ? ` ${paint.dim('(what the settings name)')}` : '';
  return `${paint.bold(clientName(client))}${which}\n${lines.join('\n')}\n`;
}

function shownId({ clientId }: ClientStatus, verdict: Verdict | undefined): string {
  const id = clientId ?? (verdict instanceof GwtokenError ? undefined : verdict?.clientId);
  return id === undefined ? 'not known' : maskMiddle(id);
}

function authUrlText({ client, authUrl, boundTo }: ClientStatus): Omit<Row, 'name'> {
  if (authUrl instanceof GwtokenError) return problem(authUrl);
  if (authUrl === undefined) {
    if (boundTo === undefined) return { text: 'none' };
    return { mark: 'warning', text: `none, but the credentials are bound to ${boundTo}` };
  }
  const text = `${authUrl.value} (${authUrl.source.name})`;
  if (boundTo === undefined || boundTo === authUrl.value) return { text };
  return {
    mark: 'warning',
    text: `${text}, but the credentials are bound to ${boundTo}`,
    hints: [`to bind them anew, run: gwtoken login ${clientFlags(client)} --auth-url ${authUrl.template}`],
  };
}

function verdictText(verdict: Verdict): Omit<Row, 'name'> {
  if (verdict instanceof GwtokenError) return problem(verdict, verdict.hints);
  const life = verdict.lifetimeS === undefined ? '' : ` that lives ${left(verdict.lifetimeS * 1000)}`;
  return { mark: 'ok', text: `the endpoint gave a token${life}` };
}

function problem({ message }: GwtokenError, hints: readonly string[] = []): Omit<Row, 'name'> {
  return { mark: 'failed', text: message, hints };
}

/** A lapse of time in its two largest units: `59 min 3 s`, `2 h 5 min`. */
export function left(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const [h, min, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  if (h > 0) return min > 0 ? `${h} h ${min} min` : `${h} h`;
  if (min > 0) return s > 0 ? `${min} min ${s} s` : `${min} min`;
  return `${s} s`;
}

/** One client as JSON; `check` is null without --check. */
export function statusJson(status: ClientStatus, verdict: Verdict | undefined, nowMs: number): object {
  const { client, selected, credentials, authUrl, boundTo, token } = status;
  const id = shownId(status, verdict);
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
    client_id: id === 'not known' ? null : id,
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

function errorJson({ message, hints, exitCode }: GwtokenError): object {
  return { error: message, hints, exit_code: exitCode };
}
