/** A client's section: its credentials, and each step of its token request. */

import { clientName } from '../../client';
import { overriding } from '../../credentials/plan';
import { GwtokenError } from '../../errors';
import { duration } from '../../text';
import type { ConnectionProgress, TlsFacts } from '../../world';
import type { CheckedClient, Request } from '../clients';
import { type Check, check, failed, type Section } from './check';

/** People renew certificates about a month before the end; with two weeks left, somebody should ask. */
const FEW_DAYS = 14;
/** Token and ticket systems commonly tolerate five minutes; a warning comes before that. */
const SKEW_WARNING_MS = 30_000;

export function clientSection(status: CheckedClient, nowMs: number): Section {
  const { client, selected, plan, authUrl, verdict, request, skipped } = status;
  const title = clientName(client);
  if (verdict === undefined || skipped !== undefined) {
    const summary = skipped ?? 'not checked';
    return { title, summary, checks: [check('skipped', 'credentials', summary)] };
  }
  if (authUrl instanceof GwtokenError) return { title, summary: '', checks: [failed('auth URL', verdict)] };
  // Nothing was sent: there are no credentials for it.
  if (request === undefined) return { title, summary: '', checks: [failed('credentials', verdict)] };
  const { status: code, repliedAtMs, askedAtMs } = request;
  const reply = code === undefined ? undefined : `HTTP ${code} in ${repliedAtMs - askedAtMs} ms`;
  const overridden = status.stored && !(plan instanceof GwtokenError) ? overriding(plan) : undefined;
  const checks = [
    overridden === undefined
      ? check('ok', 'credentials', plan instanceof GwtokenError ? '' : plan.name)
      : check('warning', 'credentials', overridden),
    check('ok', 'auth URL', `${authUrl.value} (${authUrl.source.name})`),
    ...apiUrlChecks(status),
    ...connectionChecks(request.progress, authUrl.value, reply, verdict, nowMs),
    ...clockChecks(request),
  ];
  if (verdict instanceof GwtokenError) {
    if (reply !== undefined) checks.push(failed('token', verdict));
    return { title, summary: '', checks, wasTried: true };
  }
  const { lifetimeS } = verdict;
  const token = lifetimeS === undefined ? 'received' : `valid for ${duration(lifetimeS * 1000)}`;
  checks.push(check('ok', 'token', token));
  const summary = `credentials accepted, token ${token}${selected ? '' : ' (not selected)'}`;
  return { title, summary, checks };
}

/** Shows the gateway's own address: doctor calls nothing but the endpoint. */
function apiUrlChecks({ apiUrl }: CheckedClient): Check[] {
  if (apiUrl === undefined) return [];
  if (apiUrl instanceof GwtokenError) return [failed('API URL', apiUrl)];
  return [check('skipped', 'API URL', `${apiUrl.value} (${apiUrl.source.name}), not called`)];
}

/** The step that each part of a connection belongs to. */
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

/**
 * Returns a check for each step of the connection: those before the failed one passed, those after it were
 * not reached. A second attempt may have failed at an earlier step than the first.
 *
 * @param verdict the error of the failed step, if there was no reply
 */
function connectionChecks(
  { waitingFor, proxy, addresses, connectMs, tunnel, tls }: ConnectionProgress,
  url: string,
  reply: string | undefined,
  verdict: NonNullable<CheckedClient['verdict']>,
  nowMs: number,
): Check[] {
  const of = proxy === undefined ? '' : ` of the proxy ${proxy}`;
  const isAtProxy = proxy !== undefined && !tunnel;
  const current = isAtProxy && waitingFor === 'handshake' ? 'proxy' : STEPS[waitingFor];
  const failedStep = reply === undefined ? current : undefined;
  const trusted = tls?.trustedBy === undefined ? '' : `, trusted by ${tls.trustedBy}`;
  const steps: { name: typeof current; result: string | undefined }[] = [
    { name: 'DNS', result: addresses && `${addresses.join(', ')}${of}` },
    { name: 'TCP', result: connectMs === undefined ? undefined : `connected in ${connectMs} ms${of}` },
  ];
  // Without a proxy or TLS these steps are shown only for what went wrong: a bad variable, a bad CA file.
  if (proxy !== undefined || failedStep === 'proxy')
    steps.push({ name: 'proxy', result: isAtProxy ? undefined : `connected through ${proxy}` });
  if (url.startsWith('https:') || failedStep === 'TLS')
    steps.push({ name: 'TLS', result: tls && `${tls.protocol}${trusted}` });
  steps.push({ name: 'reply', result: reply });

  const failedAt = failedStep ? steps.findIndex(({ name }) => name === failedStep) : steps.length;
  return steps.flatMap(({ name, result }, at) => {
    if (at > failedAt) return check('skipped', name, 'skipped');
    const isFailed = at === failedAt;
    const passed = result === undefined ? check('skipped', name, 'skipped') : check('ok', name, result);
    const step = isFailed ? failed(name, verdict) : passed;
    return name === 'TLS' && tls ? [step, certificate(tls, isFailed, nowMs)] : step;
  });
}

/**
 * Checks how long a certificate is still valid.
 *
 * @param isReported the handshake failed, and has a line already
 */
function certificate(tls: TlsFacts, isReported: boolean, nowMs: number): Check {
  const days = Math.floor((tls.validToMs - nowMs) / 86_400_000);
  const span = `${Math.abs(days)} ${Math.abs(days) === 1 ? 'day' : 'days'}`;
  const left = days < 0 ? `expired ${span} ago` : `${span} left`;
  if (isReported || days >= FEW_DAYS)
    return check('ok', 'certificate', `issued to ${tls.subject} by ${tls.issuer}, ${left}`);
  const message = `the certificate of ${tls.subject} has ${left}`;
  return check('warning', 'certificate', message, "ask the endpoint's operator to renew it");
}

/** Compares this machine's clock with the endpoint's, if its reply told the time. */
function clockChecks({ askedAtMs, repliedAtMs, date }: Request): Check[] {
  // The header's seconds are rounded down: half of one is added.
  const dateMs = Date.parse(date ?? '') + 500;
  if (Number.isNaN(dateMs)) return [];
  const skewMs = (askedAtMs + repliedAtMs) / 2 - dateMs;
  // The endpoint may have read its clock at any time during the request.
  const certainMs = Math.abs(skewMs) - (repliedAtMs - askedAtMs) / 2;
  // A Date header has whole seconds only.
  if (certainMs < 1500) return [check('ok', 'clock', 'in sync')];
  const relation = skewMs > 0 ? 'ahead of' : 'behind';
  const off = `this machine's clock is ${duration(Math.abs(skewMs))} ${relation} the endpoint's`;
  if (certainMs <= SKEW_WARNING_MS) return [check('ok', 'clock', off)];
  const hint = 'set the clock: timedatectl set-ntp true (Linux), or the date and time settings';
  return [check('warning', 'clock', off, hint)];
}
