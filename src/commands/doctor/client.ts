/** A client's section: its credentials, and the way that its token request went, step by step. */

import { clientName } from '../../client';
import { GwtokenError } from '../../errors';
import { duration } from '../../text';
import type { ConnectionProgress, TlsFacts } from '../../world';
import { type CheckedClient, overriding, type Request } from '../clients';
import { type Check, check, failed, type Section } from './check';

/** Less than a month is when people renew; two weeks is when someone should ask. */
const FEW_DAYS = 14;
/** Token and ticket systems commonly bear five minutes; somebody should look sooner. */
const SKEW_WARNING_MS = 30_000;

export function clientSection(status: CheckedClient, nowMs: number): Section {
  const { client, selected, plan, authUrl, verdict, request } = status;
  const title = clientName(client);
  if (authUrl instanceof GwtokenError) return { title, summary: '', checks: [failed('auth URL', verdict)] };
  // Nothing was sent: there are no credentials for it.
  if (request === undefined) return { title, summary: '', checks: [failed('credentials', verdict)] };
  const { status: code, repliedAtMs, askedAtMs } = request;
  const reply = code === undefined ? undefined : `HTTP ${code} in ${repliedAtMs - askedAtMs} ms`;
  const overridden = overriding(status);
  const checks = [
    overridden === undefined
      ? check('ok', 'credentials', plan instanceof GwtokenError ? '' : plan.name)
      : check('warning', 'credentials', overridden),
    check('ok', 'auth URL', `${authUrl.value} (${authUrl.source.name})`),
    ...connectionChecks(request.progress, authUrl.value, reply ?? verdict, nowMs),
    ...clockChecks(request),
  ];
  if (verdict instanceof GwtokenError) {
    if (reply !== undefined) checks.push(failed('token', verdict));
    return { title, summary: '', checks };
  }
  const { lifetimeS } = verdict;
  const token = lifetimeS === undefined ? 'received' : `valid for ${duration(lifetimeS * 1000)}`;
  checks.push(check('ok', 'token', token));
  const summary = `credentials accepted, token ${token}${selected ? '' : ' (not selected)'}`;
  return { title, summary, checks };
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
function connectionChecks(progress: ConnectionProgress, url: string, end: unknown, nowMs: number): Check[] {
  const { waitingFor, proxy, addresses, connectMs, tunnel, tls } = progress;
  const of = proxy === undefined ? '' : ` of the proxy ${proxy}`;
  const isAtProxy = proxy !== undefined && !tunnel;
  const last = isAtProxy && waitingFor === 'handshake' ? 'proxy' : STEPS[waitingFor];
  const checks: Check[] = [];
  let isOver = false;
  /** Adds a step that passed, failed or was not reached; a second attempt may have failed earlier. */
  const step = (name: typeof last, taken: string | undefined): void => {
    if (name === last && typeof end !== 'string') {
      isOver = true;
      checks.push(failed(name, end));
    } else if (isOver || taken === undefined) checks.push(check('skipped', name, 'skipped'));
    else checks.push(check('ok', name, taken));
  };
  step('DNS', addresses && `${addresses.join(', ')}${of}`);
  step('TCP', connectMs === undefined ? undefined : `connected in ${connectMs} ms${of}`);
  if (proxy !== undefined || (last === 'proxy' && typeof end !== 'string'))
    step('proxy', isAtProxy ? undefined : `connected through ${proxy}`);
  if (url.startsWith('https:')) {
    const trusted = tls?.trustedBy === undefined ? '' : `, trusted by ${tls.trustedBy}`;
    step('TLS', tls && `${tls.protocol}${trusted}`);
    if (tls && (!isOver || last === 'TLS')) checks.push(certificate(tls, isOver, nowMs));
  }
  step('reply', typeof end === 'string' ? end : undefined);
  return checks;
}

/** @param isRefused whether it has been said already that it is not trusted, as an expired one is not */
function certificate(tls: TlsFacts, isRefused: boolean, nowMs: number): Check {
  const days = Math.floor((tls.validToMs - nowMs) / 86_400_000);
  const span = `${Math.abs(days)} ${Math.abs(days) === 1 ? 'day' : 'days'}`;
  const left = days < 0 ? `expired ${span} ago` : `${span} left`;
  if (isRefused || days >= FEW_DAYS)
    return check('ok', 'certificate', `issued to ${tls.subject} by ${tls.issuer}, ${left}`);
  const message = `the certificate of ${tls.subject} has ${left}`;
  return check('warning', 'certificate', message, "ask the endpoint's operator to renew it");
}

/** Compares this machine's clock with the endpoint's, if its reply told the time. */
function clockChecks({ askedAtMs, repliedAtMs, date }: Request): Check[] {
  // The header has whole seconds, cut off: half of one is added.
  const dateMs = Date.parse(date ?? '') + 500;
  if (Number.isNaN(dateMs)) return [];
  const skewMs = (askedAtMs + repliedAtMs) / 2 - dateMs;
  // Nobody knows when the endpoint looked at its clock while it was asked.
  const certainMs = Math.abs(skewMs) - (repliedAtMs - askedAtMs) / 2;
  // Whole seconds is all that a Date header tells.
  if (certainMs < 1500) return [check('ok', 'clock', 'in sync')];
  const off = `this machine's clock is ${duration(Math.abs(skewMs))} ${skewMs > 0 ? 'ahead of' : 'behind'} the endpoint's`;
  if (certainMs <= SKEW_WARNING_MS) return [check('ok', 'clock', off)];
  const hint = 'set the clock: timedatectl set-ntp true (Linux), or the date and time settings';
  return [check('warning', 'clock', off, hint)];
}
