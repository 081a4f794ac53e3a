/** What `gwtoken status` says of a client: a line for people, an object for programs. Never a secret or a token. */

import { clientFlags, clientName } from '../../client';
import { exitCodeFor, GwtokenError } from '../../errors';
import { setAuthUrlCommand } from '../../settings/words';
import { duration, shellWord } from '../../text';
import { type ClientStatus, overriding, type Verdict } from '../clients';
import type { Row, TableRow } from '../report';

/** The heads of the table's columns. */
export const COLUMNS = ['  CLIENT', 'CLIENT ID', 'TOKEN', 'AUTH URL'];
const TOKEN = 2;

export function statusRow(status: ClientStatus, nowMs: number): TableRow {
  const { client, selected, authUrl, token, settings, verdict } = status;
  const none = settings instanceof GwtokenError ? 'unknown' : 'not cached';
  const left = token ? `${duration(token.expiresAtMs - nowMs)} left` : none;
  const failed = verdict instanceof GwtokenError;
  return {
    cells: [
      `${selected ? '*' : ' '} ${clientName(client)}`,
      shownId(status) ?? (status.hasCredentials ? 'unknown' : 'none stored'),
      verdict === undefined ? left : failed ? 'check failed' : 'OK',
      authUrl instanceof GwtokenError ? 'invalid' : (authUrl?.value ?? 'not set'),
    ],
    selected,
    result: verdict && { column: TOKEN, is: failed ? 'failed' : 'ok' },
  };
}

/** What is wrong with a client, each with its hints; a check says all of it in one sentence. */
export function statusProblems(status: ClientStatus): (Row & { readonly client: string })[] {
  const { credentials, settings, authUrl, verdict } = status;
  const found =
    verdict === undefined ? [credentials, authUrl, settings] : [verdict instanceof GwtokenError && verdict];
  const errors = found.filter((each) => each instanceof GwtokenError);
  const overridden = overriding(status);
  const rows = [
    ...errors.map(({ message, hints }): Row => ({ result: 'failed', message, hints })),
    ...(verdict === undefined ? warnings(status) : []),
    ...(overridden === undefined ? [] : [{ result: 'warning', message: overridden } as const]),
  ];
  return rows.map((row) => ({ ...row, client: clientName(status.client) }));
}

function warnings(status: ClientStatus): Row[] {
  const { client, authUrl } = status;
  const login = `gwtoken login ${clientFlags(client)}`;
  const warning = (message: string, hint: string): Row => ({ result: 'warning', message, hints: [hint] });
  const boundTo = boundUrl(status);
  const found = [];
  if (!status.hasCredentials) found.push(warning('no stored credentials', `to store them, run: ${login}`));
  if (boundTo === undefined || authUrl instanceof GwtokenError || authUrl?.value === boundTo) return found;
  if (authUrl === undefined) {
    const hint = `to set it again, run: ${setAuthUrlCommand(client, boundTo)}`;
    return [
      ...found,
      warning(`the auth URL is not set, but the stored credentials are for ${boundTo}`, hint),
    ];
  }
  const { value, source, template } = authUrl;
  return [
    ...found,
    warning(
      `the auth URL is ${value} (from ${source.name}), but the stored credentials are for ${boundTo}`,
      `to log in at the new auth URL, run: ${login} --auth-url ${shellWord(template)}`,
    ),
  ];
}

/** The auth URL that login verified the credentials with, if they are the stored ones. */
function boundUrl({ credentials, stored }: ClientStatus): string | undefined {
  const isStored = !(credentials instanceof GwtokenError) && credentials.kind === 'keychain';
  return isStored ? stored?.authUrl : undefined;
}

/** `abcd…wxyz`: enough to tell clients apart, and no secret, so a short one is shown whole. */
function shownId({ clientId, verdict }: ClientStatus): string | undefined {
  const id = clientId ?? (verdict instanceof GwtokenError ? undefined : verdict?.clientId);
  return id === undefined || id.length <= 8 ? id : `${id.slice(0, 4)}…${id.slice(-4)}`;
}

/** One client as JSON; `check` is null without --check. */
export function statusJson(status: ClientStatus, nowMs: number): object {
  const { client, selected, credentials, authUrl, token, verdict } = status;
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
    bound_to: boundUrl(status) ?? null,
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
