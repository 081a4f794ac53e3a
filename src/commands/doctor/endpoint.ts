/** The way to each region's identity address, step by step. */

import type { Region } from '../../client';
import { GwtokenError } from '../../errors';
import type { AuthUrl } from '../../settings/setting';
import type { EndpointFacts, EndpointFailure, TlsFacts } from '../../world/probes';
import type { World } from '../../world/world';
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
  { probes, now }: Pick<World, 'probes' | 'now'>,
): Promise<Check[]> {
  const { ok, skipped, error: broken } = section(`region ${region}`);
  if (address === undefined) {
    const hint = `to use it: gwtoken config set auth-url.${region} https://IDENTITY-ADDRESS`;
    return [skipped('address', 'none is set', hint)];
  }
  if (address instanceof GwtokenError) return [broken('address', address)];
  const facts = await probes.endpoint(address.value, options);
  return [
    ok('address', `${address.value} (${address.source.name})`),
    ...stepChecks(facts, address.value, region, now()),
  ];
}

function stepChecks(facts: EndpointFacts, url: string, region: Region, nowMs: number): Check[] {
  const { ok, skipped, failed } = section(`region ${region}`);
  const { proxy, addresses, connectMs, tls, reply, failure } = facts;
  const of = proxy === undefined ? '' : ` of the proxy ${proxy}`;
  const isTls = url.startsWith('https:');
  const checks: Check[] = [];
  /** A step that was gone; the one that failed; or one that was not come to. */
  const step = (name: EndpointFailure['step'], gone: string | undefined): void => {
    if (failure?.step === name) checks.push(failed('unreached', name, ...problem(failure, tls, of, nowMs)));
    else checks.push(gone === undefined ? skipped(name, 'not tried') : ok(name, gone));
  };
  step('DNS', addresses && `${addresses.join(', ')}${of}`);
  step('TCP', connectMs === undefined ? undefined : `connected in ${connectMs} ms${of}`);
  if (proxy !== undefined || failure?.step === 'proxy')
    step('proxy', tls || reply ? `leads through ${proxy}` : undefined);
  if (isTls) {
    step('TLS', tls && `${tls.protocol}, for ${tls.subject}, by ${tls.issuer}${trusted(tls)}`);
    if (tls) checks.push(certificate(tls, region, nowMs));
  }
  step('reply', reply && `status ${reply.status} in ${reply.ms} ms (any will do)`);
  if (reply) checks.push(clock(reply.skewMs, region));
  return checks;
}

function trusted({ trustedBy }: TlsFacts): string {
  return trustedBy === undefined ? '' : `, trusted by ${trustedBy}`;
}

function certificate({ validToMs }: TlsFacts, region: Region, nowMs: number): Check {
  const { ok, warning, failed } = section(`region ${region}`);
  const days = Math.floor((validToMs - nowMs) / 86_400_000);
  if (days < 0) {
    const hint = "tell those who run it, unless this computer's clock is wrong";
    return failed('unreached', 'certificate', `expired ${-days} days ago`, hint);
  }
  const left = `${days} days left`;
  return days < FEW_DAYS ? warning('certificate', left, 'tell those who run it') : ok('certificate', left);
}

function clock(skewMs: number | undefined, region: Region): Check {
  const { ok, warning, failed, skipped } = section(`region ${region}`);
  if (skewMs === undefined) return skipped('clock', 'the reply has no Date');
  const size = Math.abs(skewMs);
  // Whole seconds is all that a Date header tells.
  if (size < 1500) return ok('clock', 'right');
  const off = `this computer's clock is ${lapse(size)} ${skewMs > 0 ? 'ahead of' : 'behind'} the endpoint's`;
  const hint = 'set the clock: timedatectl set-ntp true (Linux), or the date and time settings';
  if (size > SKEW_LIMIT_MS) return failed('usage', 'clock', off, hint);
  return size > SKEW_WARNING_MS ? warning('clock', off, hint) : ok('clock', off);
}

function lapse(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** What failed and what to do about it. */
function problem(
  { step, code = '', message }: EndpointFailure,
  tls: TlsFacts | undefined,
  of: string,
  nowMs: number,
): [string, ...string[]] {
  const said =
    message === code ? code : `${message}${code === '' || message.includes(code) ? '' : ` (${code})`}`;
  if (step === 'DNS')
    return [`the name${of} cannot be resolved: ${said}`, 'check the address, the network, the VPN'];
  if (step === 'TCP') {
    return [
      `no connection${of}: ${said}`,
      'check the network, the VPN and the firewall, and whether a proxy is needed',
    ];
  }
  if (step === 'proxy') return [`the proxy does not let through: ${said}`, 'check HTTPS_PROXY and NO_PROXY'];
  if (step === 'reply') return [`no reply came: ${said}`, 'try again; tell those who run it if it stays so'];
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') {
    const days = Math.round(Math.abs((tls?.validToMs ?? nowMs) - nowMs) / 86_400_000);
    const when = code === 'CERT_HAS_EXPIRED' ? `expired ${days} days ago` : 'is not valid yet';
    return [`its certificate ${when}`, "check this computer's clock; if it is right, tell those who run it"];
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return [`its certificate is for another name: ${tls?.subject}`, 'check the address'];
  }
  if (tls) {
    const hint =
      "if that is your company's authority: gwtoken config set ca-file FILE, its certificate as PEM";
    return [`its certificate is from ${tls.issuer}, which is not trusted (${code})`, hint];
  }
  return [`no secure connection: ${said}`, 'check that the address and its port speak https'];
}
