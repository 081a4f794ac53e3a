/** Doctor's checks: one for each step of a request, and for directories, variables and the clock. */

import type { Cause } from '../../causes';
import type { GwtokenError } from '../../errors';
import { strayText } from '../../hints/hints';
import type { ConnectionProgress, Peer, TlsFacts } from '../../post-form';
import type { Settings } from '../../settings/table';
import { cleaned, duration } from '../../text';
import type { Query } from '../../token/query';
import type { Token } from '../../token/token';
import type { DirectoryKind, World } from '../../world';
import type { Finding } from '../report';
import { strayVariables } from '../stray-variables';

/** The result of one step. */
export interface Check extends Omit<Finding, 'hints'> {
  readonly name: string;
  /** The cause of a warning, if there is something to do. */
  readonly cause?: Cause | undefined;
  /** The error that `get` would end with; absent if the step did not fail. */
  readonly error?: GwtokenError;
}

export function passed(name: string, message: string): Check {
  return { name, result: 'ok', message };
}

export function warning(name: string, message: string, cause?: Cause): Check {
  return { name, result: 'warning', message, cause };
}

function failed(name: string, error: GwtokenError, { tls }: Progress, world: World): Check {
  const certificate = name === 'TLS' && tls ? ` (${certificateText(tls, world.now())})` : '';
  return { name, result: 'failed', message: `${error.message}${certificate}`, error };
}

/** Checks a directory. If it is not writable, there is no cache, or `login` cannot store the client. */
function directoryCheck(kind: DirectoryKind, world: Pick<World, 'probeDirectory'>): Check {
  const { text, problem } = world.probeDirectory(kind);
  const name = `${kind} directory`;
  return problem ? warning(name, text, problem) : passed(name, text);
}

/** Warns of variables that look like misspelled ones of gwtoken's. */
export function variableChecks(world: Pick<World, 'env' | 'platform'>): Check[] {
  const stray = strayVariables(world).map((each) => warning('variables', strayText(each)));
  return stray.length > 0 ? stray : [passed('variables', 'none misspelled')];
}

/** The step of each part of a request. */
const STEP_OF = {
  settings: 'settings',
  keychain: 'keychain',
  credentials: 'credentials',
  lookup: 'DNS',
  connect: 'connection',
  tunnel: 'proxy',
  handshake: 'TLS',
  certificate: 'TLS',
  reply: 'token request',
  body: 'token request',
} as const;

/** The progress of `get`: the part that is under way, and the facts that are known. */
export interface Progress extends Omit<ConnectionProgress, 'waitingFor' | 'peer'> {
  readonly peer?: Peer;
  readonly waitingFor: keyof typeof STEP_OF;
  readonly settings?: Settings;
  readonly lines?: readonly string[];
  readonly query?: Query;
  readonly keychain?: Check;
  readonly clock?: Check | undefined;
  readonly token?: Token;
}

type Step = (typeof STEP_OF)[keyof typeof STEP_OF] | 'config directory' | 'cache directory' | 'clock';

/** All steps in their order. Each returns the checks of a step that worked. */
const STEPS: Readonly<
  Record<Step, (progress: Progress, world: World) => Check | readonly Check[] | undefined>
> = {
  settings: ({ lines = [] }) => lines.map((line) => passed('settings', line)),
  'config directory': (_, world) => directoryCheck('config', world),
  'cache directory': (_, world) => directoryCheck('cache', world),
  keychain: ({ keychain }) => keychain,
  credentials: ({ query }) => query && passed('credentials', query.source.name),
  DNS: ({ addresses, proxy }) => {
    const ofProxy = proxy === undefined ? '' : ` of the proxy ${proxy}`;
    return addresses && passed('DNS', `${cleaned(addresses.join(', '))}${ofProxy}`);
  },
  // A successful connection is shown by the next step.
  connection: () => undefined,
  proxy: ({ proxy }) => (proxy === undefined ? undefined : passed('proxy', `connected through ${proxy}`)),
  TLS: ({ tls }, world) => tls && tlsCheck(tls, world.now()),
  'token request': ({ token }) => {
    const valid = token?.lifetimeS === undefined ? '' : `, valid for ${duration(token.lifetimeS * 1000)}`;
    return passed('token request', `token received${valid}`);
  },
  clock: ({ clock }) => clock,
};

/** Returns the checks of all steps in turn, up to the one that fails with the error. */
export function stepChecks(progress: Progress, error: GwtokenError | undefined, world: World): Check[] {
  const { peer, waitingFor } = progress;
  const failing = peer === 'proxy' && waitingFor !== 'lookup' ? 'proxy' : STEP_OF[waitingFor];
  const checks: Check[] = [];
  for (const [step, checkOf] of Object.entries(STEPS)) {
    if (error && step === failing) return [...checks, failed(step, error, progress, world)];
    checks.push(...[checkOf(progress, world) ?? []].flat());
  }
  return checks;
}

const DAY_MS = 86_400_000;
/** Days before the end of a certificate from which doctor warns. Most are renewed a month before. */
const FEW_DAYS = 14;

function tlsCheck(tls: TlsFacts, nowMs: number): Check {
  const trusted = tls.trustedBy === undefined ? '' : `, trusted by ${tls.trustedBy}`;
  const message = `${certificateText(tls, nowMs)}${trusted}`;
  if (tls.validToMs - nowMs >= FEW_DAYS * DAY_MS) return passed('TLS', message);
  return warning('TLS', message, ["ask the endpoint's operator to renew the certificate"]);
}

/** Returns subject, issuer and remaining days of a certificate. */
function certificateText({ subject, issuer, validToMs }: TlsFacts, nowMs: number): string {
  const days = Math.floor((validToMs - nowMs) / DAY_MS);
  const left = days < 0 ? 'expired' : `${days} ${days === 1 ? 'day' : 'days'} left`;
  return `certificate of ${subject} by ${issuer}, ${left}`;
}

/** Difference of clocks from which doctor warns. Many identity servers tolerate five minutes. */
const SKEW_WARNING_MS = 30_000;

/** Compares this machine's clock with the `Date` of a reply; returns undefined for an invalid date. */
export function clockCheck(date: string | null, startedAtMs: number, repliedAtMs: number): Check | undefined {
  const dateMs = Date.parse(date ?? '');
  if (Number.isNaN(dateMs)) return undefined;
  // The endpoint may read its clock at any time during the request, and drops the fraction of the second.
  const aheadMs = startedAtMs - (dateMs + 1000);
  const behindMs = dateMs - repliedAtMs;
  const offMs = Math.max(aheadMs, behindMs);
  if (offMs <= SKEW_WARNING_MS) return passed('clock', "agrees with the endpoint's");
  const relation = aheadMs > behindMs ? 'ahead of' : 'behind';
  return warning('clock', `${duration(offMs)} ${relation} the endpoint's`, [
    'set the clock: timedatectl set-ntp true (Linux), or the date and time settings',
  ]);
}
