/** How `gwtoken status` shows what it knows: lines for people, an object for programs. Never a secret or a token. */
import { GwtokenError } from '../errors';
import type { Paint } from '../world';
import { clientFlags, clientName } from './clients';
import type { Mark } from './report-style';
import { type ClientStatus, maskMiddle } from './status';
import type { Verdict } from './status-check';

interface Style {
  readonly paint: Paint;
  readonly mark: (mark: Mark) => string;
}

/** The lines of one client, ending with one LF each. `verdict` is undefined without --check. */
export function statusText(
  status: ClientStatus,
  verdict: Verdict | undefined,
  nowMs: number,
  { paint, mark }: Style,
): string {
  const { client, selected, credentials, token } = status;
  const rows: [string, string, ...string[]][] = [
    ['credentials', credentials instanceof GwtokenError ? problem(credentials, mark) : credentials.name],
    ['client id', shownId(status, verdict)],
    ['auth URL', authUrlText(status, mark)],
    ['token', token ? `cached, ${left(token.expiresAtMs - nowMs)} left` : 'none cached'],
  ];
  if (verdict instanceof GwtokenError) rows.push(['check', problem(verdict, mark), ...verdict.hints]);
  else if (verdict) {
    const life = verdict.lifetimeS === undefined ? '' : ` that lives ${left(verdict.lifetimeS * 1000)}`;
    rows.push(['check', `${mark('ok')} the endpoint gave a token${life}`]);
  }
  const lines = rows.flatMap(([name, text, ...hints]) => [
    `  ${paint.dim(name.padEnd(11))}  ${text}`,
    ...hints.map((hint) => `${' '.repeat(15)}${paint.cyan('fix:')} ${hint}`),
  ]);
  const which = selected ? ` ${paint.dim('(what the settings name)')}` : '';
  return `${paint.bold(clientName(client))}${which}\n${lines.join('\n')}\n`;
}

function shownId({ clientId }: ClientStatus, verdict: Verdict | undefined): string {
  const id = clientId ?? (verdict instanceof GwtokenError ? undefined : verdict?.clientId);
  return id === undefined ? 'not known' : maskMiddle(id);
}

function authUrlText({ client, authUrl, boundTo }: ClientStatus, mark: Style['mark']): string {
  if (authUrl instanceof GwtokenError) return problem(authUrl, mark);
  if (authUrl === undefined)
    return boundTo === undefined
      ? 'none'
      : `${mark('warning')} none; the credentials are bound to ${boundTo}`;
  const text = `${authUrl.value} (${authUrl.source.name})`;
  if (boundTo === undefined || boundTo === authUrl.value) return text;
  return `${mark('warning')} ${text}, but the credentials are bound to ${boundTo}: gwtoken login ${clientFlags(client)} binds them anew`;
}

function problem({ message }: GwtokenError, mark: Style['mark']): string {
  return `${mark('failed')} ${message}`;
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
