/** A client's section: its credentials, and the way that its token request went, step by step. */

import { clientName } from '../../client';
import { GwtokenError } from '../../errors';
import { duration } from '../../text';
import type { ConnectionProgress, TlsFacts } from '../../world';
import { type CheckedClient, overriding, type Request, type Verdict } from '../clients';
import { type Check, type Section, section } from './check';

/** Less than a month is when people renew; two weeks is when someone should ask. */
const FEW_DAYS = 14;
/** Token and ticket systems commonly bear five minutes; somebody should look sooner. */
const SKEW_WARNING_MS = 30_000;

export function clientSection(status: CheckedClient, nowMs: number): Section {
  const title = clientName(status.client);
  const token = status.verdict instanceof GwtokenError ? '' : tokenText(status.verdict);
  const selected = status.selected ? '' : ' (not selected)';
  return {
    title,
    summary: `credentials accepted, token ${token}${selected}`,
    checks: clientChecks(status, title, token, nowMs),
  };
}

function tokenText({ lifetimeS }: Exclude<Verdict, GwtokenError>): string {
  return lifetimeS === undefined ? 'received' : `valid for ${duration(lifetimeS * 1000)}`;
}

function clientChecks(status: CheckedClient, title: string, token: string, nowMs: number): Check[] {
  const { credentials, authUrl, verdict, request } = status;
  const { ok, warning, error } = section(title);
  const problem = verdict instanceof GwtokenError ? verdict : undefined;
  const isUrl = authUrl !== undefined && !(authUrl instanceof GwtokenError);
  // Nothing was sent: there is no auth URL, or no credentials for it.
  if (request === undefined || !isUrl) return [error(isUrl ? 'credentials' : 'auth URL', problem)];
  const overridden = overriding(status);
  const name = credentials instanceof GwtokenError ? '' : credentials.name;
  const { status: code, repliedAtMs, askedAtMs } = request;
  const reply = code === undefined ? undefined : `HTTP ${code} in ${repliedAtMs - askedAtMs} ms`;
  const end = problem === undefined ? ok('token', token) : error('token', problem);
  return [
    overridden === undefined ? ok('credentials', name) : warning('credentials', overridden),
    ok('auth URL', `${authUrl.value} (${authUrl.source.name})`),
    ...wayChecks(title, request.way, authUrl.value, reply ?? problem, nowMs),
    ...clockChecks(title, request),
    ...(reply === undefined ? [] : [end]),
  ];
}

/** Which step each part of the way belongs to. */
const STEPS = {
  route: 'proxy',
  roots: 'TLS',
  lookup: 'DNS',
  connect: 'TCP',
  tunnel: 'proxy',
  handshake: 'TLS',
  reply: 'reply',
  body: 'reply',
} as const;

/** @param end what the reply was, or the error that the request failed with before there was one */
function wayChecks(
  title: string,
  way: ConnectionProgress,
  url: string,
  end: unknown,
  nowMs: number,
): Check[] {
  const { ok, skipped, error } = section(title);
  const { waitingFor, proxy, addresses, connectMs, tunnel, tls } = way;
  const of = proxy === undefined ? '' : ` of the proxy ${proxy}`;
  const isAtProxy = proxy !== undefined && !tunnel;
  const last = isAtProxy && waitingFor === 'handshake' ? 'proxy' : STEPS[waitingFor];
  const checks: Check[] = [];
  let isOver = false;
  /** Adds a step that passed, failed or was not reached; a second attempt may have failed earlier. */
  const step = (name: typeof last, taken: string | undefined): void => {
    if (name === last && typeof end !== 'string') {
      isOver = true;
      checks.push(error(name, end));
    } else checks.push(isOver || taken === undefined ? skipped(name, 'skipped') : ok(name, taken));
  };
  step('DNS', addresses && `${addresses.join(', ')}${of}`);
  step('TCP', connectMs === undefined ? undefined : `connected in ${connectMs} ms${of}`);
  if (proxy !== undefined || (last === 'proxy' && typeof end !== 'string'))
    step('proxy', isAtProxy ? undefined : `connected through ${proxy}`);
  if (url.startsWith('https:')) {
    const trusted = tls?.trustedBy === undefined ? '' : `, trusted by ${tls.trustedBy}`;
    step('TLS', tls && `${tls.protocol}${trusted}`);
    if (tls && (!isOver || last === 'TLS')) checks.push(certificate(title, tls, isOver, nowMs));
  }
  step('reply', typeof end === 'string' ? end : undefined);
  return checks;
}

/** @param isRefused whether it has been said already that it is not trusted, as an expired one is not */
function certificate(title: string, tls: TlsFacts, isRefused: boolean, nowMs: number): Check {
  const { ok, warning } = section(title);
  const days = Math.floor((tls.validToMs - nowMs) / 86_400_000);
  const span = `${Math.abs(days)} ${Math.abs(days) === 1 ? 'day' : 'days'}`;
  const left = days < 0 ? `expired ${span} ago` : `${span} left`;
  if (isRefused || days >= FEW_DAYS)
    return ok('certificate', `issued to ${tls.subject} by ${tls.issuer}, ${left}`);
  return warning(
    'certificate',
    `the certificate of ${tls.subject} has ${left}`,
    "ask the endpoint's operator to renew it",
  );
}

/** Compares this machine's clock with the endpoint's, if its reply told the time. */
function clockChecks(title: string, { askedAtMs, repliedAtMs, date }: Request): Check[] {
  const { ok, warning } = section(title);
  // The header has whole seconds, cut off: half of one is added.
  const dateMs = Date.parse(date ?? '') + 500;
  if (Number.isNaN(dateMs)) return [];
  const skewMs = (askedAtMs + repliedAtMs) / 2 - dateMs;
  // Nobody knows when the endpoint looked at its clock while it was asked.
  const certainMs = Math.abs(skewMs) - (repliedAtMs - askedAtMs) / 2;
  // Whole seconds is all that a Date header tells.
  if (certainMs < 1500) return [ok('clock', 'in sync')];
  const off = `this machine's clock is ${duration(Math.abs(skewMs))} ${skewMs > 0 ? 'ahead of' : 'behind'} the endpoint's`;
  const hint = 'set the clock: timedatectl set-ntp true (Linux), or the date and time settings';
  return [certainMs > SKEW_WARNING_MS ? warning('clock', off, hint) : ok('clock', off)];
}
