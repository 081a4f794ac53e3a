/** Doctor's checks: of what surrounds a request, of each step of its connection, and of the clock. */

import type { GwtokenError } from '../../errors';
import { duration, shellWord } from '../../text';
import type { ConnectionProgress, TlsFacts, World } from '../../world';
import type { Finding } from '../report';
import { strayVariables } from '../stray-variables';

/** One step and how it went. */
export interface Check extends Finding {
  readonly name: string;
  /** The error that `get` would end with; absent unless the step failed. */
  readonly error?: GwtokenError;
}

export function passed(name: string, message: string): Check {
  return { name, result: 'ok', message, hints: [] };
}

export function warning(name: string, message: string, ...hints: string[]): Check {
  return { name, result: 'warning', message, hints };
}

/** @param more what else is known of the failure, as the end of its message */
export function failed(name: string, error: GwtokenError, more = ''): Check {
  return { name, result: 'failed', message: `${error.message}${more}`, hints: error.hints, error };
}

/** Checks a directory. What cannot be written costs the cache, or what `login` would store. */
export function directoryCheck(which: 'config' | 'cache', world: Pick<World, 'probeFolder'>): Check {
  const { path, exists, problem } = world.probeFolder(which);
  const name = `${which} directory`;
  const elsewhere = `set GWTOKEN_${which.toUpperCase()}_DIR to a directory of yours`;
  if (path === undefined) return warning(name, 'no home directory', elsewhere);
  const hint = problem?.isOpen ? `run: chmod go-w ${shellWord(path)}` : elsewhere;
  if (problem) return warning(name, `${path} ${problem.text}`, hint);
  return passed(name, exists ? path : `${path} (will be created)`);
}

/** Warns of variables that look like gwtoken's and are none. */
export function variableChecks({ env }: Pick<World, 'env'>): Check[] {
  const stray = strayVariables(env).map(({ name, meant }) => {
    const hints = meant.map((each) => `did you mean: ${each}`);
    return warning('variables', `${name}: gwtoken reads no variable of this name`, ...hints);
  });
  return stray.length > 0 ? stray : [passed('variables', 'no misspelled ones')];
}

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
