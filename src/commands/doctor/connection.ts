/** Doctor's checks of a token request that was made: each step of its connection, and the clock. */

import { duration } from '../../text';
import type { ConnectionProgress, TlsFacts } from '../../world';
import { type Check, passed, warning } from './check';

/** A token request, as far as it got. */
export interface Attempt extends ConnectionProgress {
  readonly startedAtMs: number;
  /** Time when the reply's headers came, and the `Date` among them. */
  repliedAtMs?: number;
  date?: string | null;
}

/** The steps of a request, in their order, and the step that each part of a connection belongs to. */
const STEPS = ['DNS', 'connection', 'proxy', 'TLS', 'token request'] as const;
const STEP_OF = {
  lookup: 'DNS',
  connect: 'connection',
  tunnel: 'proxy',
  handshake: 'TLS',
  reply: 'token request',
  body: 'token request',
} as const;

/** Returns the step that a request has reached. @param reason that of the error which ended it */
export function currentStep({ waitingFor, proxy }: Attempt, reason?: string): (typeof STEPS)[number] {
  if (waitingFor !== 'connect') return STEP_OF[waitingFor];
  if (proxy !== undefined) return 'proxy';
  return reason === 'certificate' ? 'TLS' : 'connection';
}

/** Returns the steps before that one. With other CAs it may have failed earlier than at first. */
export function passedSteps(attempt: Attempt, current: (typeof STEPS)[number], nowMs: number): Check[] {
  const { proxy, addresses, tls } = attempt;
  const whose = proxy === undefined ? '' : ` of the proxy ${proxy}`;
  const known: Readonly<Partial<Record<string, Check | undefined>>> = {
    DNS: addresses && passed('DNS', `${addresses.join(', ')}${whose}`),
    proxy: proxy === undefined ? undefined : passed('proxy', `connected through ${proxy}`),
    TLS: tls && tlsCheck(tls, nowMs),
  };
  return STEPS.slice(0, STEPS.indexOf(current)).flatMap((step) => known[step] ?? []);
}

const DAY_MS = 86_400_000;
/** People renew certificates about a month before the end; with two weeks left, somebody should ask. */
const FEW_DAYS = 14;

function tlsCheck(tls: TlsFacts, nowMs: number): Check {
  const trusted = tls.trustedBy === undefined ? '' : `, trusted by ${tls.trustedBy}`;
  const message = `${certificateText(tls, nowMs)}${trusted}`;
  if (tls.validToMs - nowMs >= FEW_DAYS * DAY_MS) return passed('TLS', message);
  return warning('TLS', message, "ask the endpoint's operator to renew the certificate");
}

/** Returns whose certificate it is, and how long it is valid. */
export function certificateText({ subject, issuer, validToMs }: TlsFacts, nowMs: number): string {
  const days = Math.floor((validToMs - nowMs) / DAY_MS);
  const left = days < 0 ? 'expired' : `${days} ${days === 1 ? 'day' : 'days'} left`;
  return `certificate of ${subject} by ${issuer}, ${left}`;
}

/** Token and ticket systems commonly tolerate five minutes; a warning comes before that. */
const SKEW_WARNING_MS = 30_000;

/** Compares this machine's clock with the endpoint's, if its reply told the time. */
export function clockChecks({ startedAtMs, repliedAtMs = startedAtMs, date }: Attempt): Check[] {
  const dateMs = Date.parse(date ?? '');
  if (Number.isNaN(dateMs)) return [];
  // The endpoint may have read its clock at any time during the request, and cuts the second off.
  const aheadMs = startedAtMs - (dateMs + 1000);
  const behindMs = dateMs - repliedAtMs;
  const offMs = Math.max(aheadMs, behindMs);
  if (offMs <= SKEW_WARNING_MS) return [passed('clock', "agrees with the endpoint's")];
  const relation = aheadMs > behindMs ? 'ahead of' : 'behind';
  const hint = 'set the clock: timedatectl set-ntp true (Linux), or the date and time settings';
  return [warning('clock', `${duration(offMs)} ${relation} the endpoint's`, hint)];
}
