/** The way to each region's identity address, step by step. */

import type { Region } from '../../client';
import { GwtokenError } from '../../errors';
import type { AuthUrl } from '../../settings/table';
import type { TlsFacts, Way, World } from '../../world';
import { type Check, section } from './check';

/** Less than a month is when people renew; two weeks is when someone should ask. */
const FEW_DAYS = 14;
/** Up to five minutes is what token and ticket systems commonly bear. */
const SKEW_LIMIT_MS = 300_000;
const SKEW_WARNING_MS = 30_000;

/**
 * The lines for one region.
 *
 * @param address the auth URL, why there is none, or undefined for a region that nobody uses here
 */
export async function endpointChecks(
  region: Region,
  address: AuthUrl | GwtokenError | undefined,
  options: { readonly timeoutMs: number; readonly caFile: string | undefined },
  world: Pick<World, 'fetch' | 'now' | 'version'>,
): Promise<Check[]> {
  const { ok, skipped, error: broken } = section(`region ${region}`);
  if (address === undefined) return [skipped('auth URL', 'not set')];
  if (address instanceof GwtokenError) return [broken('auth URL', address)];
  const { value: url, source } = address;
  return [ok('auth URL', `${url} (${source.name})`), ...(await wayChecks(region, url, options, world))];
}

/** Goes the way that a token request goes, and asks for the headers alone (HEAD), without credentials. */
async function wayChecks(
  region: Region,
  url: string,
  limits: { readonly timeoutMs: number; readonly caFile: string | undefined },
  { fetch, now, version }: Pick<World, 'fetch' | 'now' | 'version'>,
): Promise<Check[]> {
  const way: Way = { waitingFor: 'route' };
  let askedAtMs = now();
  const met = (facts: Partial<Way>): void => {
    Object.assign(way, facts);
    if (facts.waitingFor === 'reply') askedAtMs = now();
  };
  const headers = { 'user-agent': `gwtoken/${version}` };
  try {
    const { status, headers: replied } = await fetch(url, { ...limits, method: 'HEAD', headers, met });
    const repliedAtMs = now();
    // The header has whole seconds, cut off: half of one is added.
    const dateMs = Date.parse(replied.get('date') ?? '') + 500;
    const reply = `reachable (HTTP ${status}) in ${repliedAtMs - askedAtMs} ms`;
    return [
      ...stepChecks(region, url, way, reply, now()),
      clock((askedAtMs + repliedAtMs) / 2 - dateMs, (repliedAtMs - askedAtMs) / 2, region),
    ];
  } catch (error) {
    return stepChecks(region, url, way, error, now());
  }
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

/** @param end what the reply was, or the error that the request failed with */
function stepChecks(region: Region, url: string, way: Way, end: unknown, nowMs: number): Check[] {
  const { ok, skipped, error } = section(`region ${region}`);
  const { waitingFor, proxy, addresses, connectMs, tunnel, tls } = way;
  const of = proxy === undefined ? '' : ` of the proxy ${proxy}`;
  const isAtProxy = proxy !== undefined && !tunnel;
  const last = isAtProxy && waitingFor === 'handshake' ? 'proxy' : STEPS[waitingFor];
  const checks: Check[] = [];
  let isOver = false;
  /** One that was taken, the one that failed, or one that it did not get to; a second attempt may have failed earlier. */
  const step = (name: typeof last, taken: string | undefined): void => {
    if (name === last && typeof end !== 'string') {
      isOver = true;
      checks.push(error(name, end));
    } else checks.push(isOver || taken === undefined ? skipped(name, 'skipped') : ok(name, taken));
  };
  step('DNS', addresses && `${addresses.join(', ')}${of}`);
  step('TCP', connectMs === undefined ? undefined : `connected in ${connectMs} ms${of}`);
  if (proxy !== undefined || last === 'proxy')
    step('proxy', isAtProxy ? undefined : `connected through ${proxy}`);
  if (url.startsWith('https:')) {
    step('TLS', tls && `${tls.protocol}, ${whose(tls)}${trusted(tls)}`);
    if (tls && (!isOver || last === 'TLS')) checks.push(certificate(tls, !isOver, region, nowMs));
  }
  step('reply', typeof end === 'string' ? end : undefined);
  return checks;
}

function whose({ subject, issuer }: TlsFacts): string {
  return `issued to ${subject} by ${issuer}`;
}

function trusted({ trustedBy }: TlsFacts): string {
  return trustedBy === undefined ? '' : `, trusted by ${trustedBy}`;
}

/** Of one that was refused its names are told too, which else stand in the line before. */
function certificate(tls: TlsFacts, isTrusted: boolean, region: Region, nowMs: number): Check {
  const { ok, warning, failed } = section(`region ${region}`);
  const days = Math.floor((tls.validToMs - nowMs) / 86_400_000);
  const names = isTrusted ? '' : `${whose(tls)}, `;
  const span = `${Math.abs(days)} ${Math.abs(days) === 1 ? 'day' : 'days'}`;
  if (days < 0) {
    const hint = "ask the endpoint's operator to renew it, unless this machine's clock is wrong";
    return failed('unreached', 'certificate', `${names}expired ${span} ago`, hint);
  }
  const left = `${names}${span} left`;
  return days < FEW_DAYS
    ? warning('certificate', left, "ask the endpoint's operator to renew it")
    : ok('certificate', left);
}

/**
 * @param skewMs by how much this computer is ahead; no number where the reply tells no time
 * @param doubtMs how wrong that may be: nobody knows when the endpoint looked at its clock while it was asked
 */
function clock(skewMs: number, doubtMs: number, region: Region): Check {
  const { ok, warning, failed, skipped } = section(`region ${region}`);
  if (Number.isNaN(skewMs)) return skipped('clock', 'unknown (no Date header)');
  const size = Math.abs(skewMs);
  const certain = size - doubtMs;
  // Whole seconds is all that a Date header tells.
  if (certain < 1500) return ok('clock', 'in sync');
  const off = `this machine's clock is ${lapse(size)} ${skewMs > 0 ? 'ahead of' : 'behind'} the endpoint's`;
  const hint = 'set the clock: timedatectl set-ntp true (Linux), or the date and time settings';
  if (certain > SKEW_LIMIT_MS) return failed('usage', 'clock', off, hint);
  return certain > SKEW_WARNING_MS ? warning('clock', off, hint) : ok('clock', off);
}

function lapse(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
