/** The next steps after an error: a row for each reason, best hint first. Two hints are shown. */
import type { Cause, Reason, StrayVariable } from '../causes';
import { type Client, clientFlags, profileFlag, REGIONS } from '../client';
import type { CredentialSource } from '../credentials/sources';
import type { GwtokenError } from '../errors';
import type { FlagValues, Settings } from '../settings/table';
import { listOf } from '../text';
import type { World } from '../world';
import { CLIENT_ROWS, noHomeStep, otherCause, undoStep, useVariables } from './client';
import { CONNECTION_ROWS } from './connection';
import type { Facts, Row, Rows, Steps } from './row';

/** The most hints that an error shows. */
const MOST_HINTS = 2;

/** An error, or the problem that a warning reports. */
export type Problem = Partial<Pick<GwtokenError, 'kind' | 'cause' | 'subject'>>;

/** Returns the hints for a problem, best first: each is the next command or variable to type. */
export function hintsFor(
  problem: Problem,
  { platform }: Pick<World, 'platform'>,
  settings?: Settings,
): readonly string[] {
  const { kind, cause } = problem;
  const facts: Facts = { ...problem.subject, platform, settings };
  const { isRepeated, mistakes = [], source, lastStep } = facts;
  const steps = [
    isRepeated ? 'to ask at once, add --fresh' : undefined,
    strayStep(problem, facts),
    ...mistakes,
    cause && unusedProxyStep(cause),
    ...(cause ? stepsFor(cause, facts) : []),
    ...(kind === 'keychain' && source ? [otherCause(facts), useVariables(facts)] : []),
  ];
  const best = [...new Set(steps.filter((step) => step !== undefined))];
  return lastStep === undefined ? best.slice(0, MOST_HINTS) : [...best.slice(0, MOST_HINTS - 1), lastStep];
}

/** Returns the last step after an invalid command line. */
export function showHelp(command: string): string {
  return `for help, run: ${command} --help`;
}

/** Returns the last step after a login that failed, with what a person typed. */
export function startAgain(loginLine: string): string {
  return `to start again, run: ${loginLine}`;
}

/** Returns the last step after a login without a working keychain. The source may make it needless. */
export function withoutLogin(settings: Settings, source?: CredentialSource): string | undefined {
  if (source?.override === undefined) return useVariables({ settings });
  return `no login is needed here: gwtoken uses ${source.name}`;
}

/** Returns the last step after a login that was interrupted while it stored the client's credentials. */
export function removeStored(client: Client, flags: FlagValues): string {
  return `the credentials may be stored; to remove them, run: gwtoken logout ${clientFlags(client, flags)}`;
}

/** Returns the step for a variable that looks like one of gwtoken's, if it may be what is missing. */
function strayStep({ kind, cause }: Problem, { stray }: Facts): string | undefined {
  const isMissed = kind === 'refused' || kind === 'no-credentials' || MISSING.includes(cause?.reason);
  return isMissed && stray ? strayText(stray) : undefined;
}

const MISSING: readonly (Reason | undefined)[] = ['no-client', 'no-region', 'no-auth-url', 'no-api-url'];

/** Returns a sentence on a variable that looks like one of gwtoken's. */
export function strayText({ name, meant }: StrayVariable): string {
  const words = meant();
  const suggestion = words.length > 0 ? `; did you mean: ${listOf(words)}` : '';
  return `${name} is not a variable of gwtoken's${suggestion}`;
}

/** Returns the step for a failed connection that did not use a variable's proxy. */
function unusedProxyStep(cause: Cause): string | undefined {
  const unused = 'unusedProxy' in cause ? cause.unusedProxy : undefined;
  return unused && `gwtoken does not use ${unused}; to use the proxy, set HTTPS_PROXY`;
}

/** Returns the steps of a cause, best first. */
function stepsFor(cause: Cause, facts: Facts): Steps {
  // A stored failure may have any reason.
  const row = ROWS[cause.reason] as Row<Reason> | undefined;
  return row?.(cause, facts) ?? [];
}

const ROWS: Rows = {
  ...CLIENT_ROWS,
  ...CONNECTION_ROWS,

  // The command line
  mistyped: ({ meant }) => [`did you mean: ${meant}`],
  comment: () => ['leave the comment out: on a typed line, zsh passes it as arguments'],
  dash: () => ['use hyphens: -- and not a dash'],
  'no-revoke': () => ['to revoke a client, use the Clients page'],
  'secret-flag': ({ hasStdin }) => [
    hasStdin
      ? 'no flag takes a secret: use the prompt or --secret-stdin'
      : 'no flag takes credentials: run gwtoken login, or export GWTOKEN_CLIENT_ID and GWTOKEN_CLIENT_SECRET',
  ],
  'no-topic': () => ['for all commands and topics, run: gwtoken help'],

  // Settings, flags and formats
  'bad-value': ({ allowed, source }) => [`use ${allowed}`, undoStep(source)],
  'unknown-key': ({ isCredential, meant }) => {
    if (isCredential) return ['to store credentials, run: gwtoken login'];
    return [meant === undefined ? 'for all keys, run: gwtoken help settings' : `did you mean: ${meant}`];
  },
  'not-per-profile': () => ['omit --profile'],
  'not-a-url': ({ example, meant }) => [
    meant === undefined ? `example: ${example}` : `did you mean: ${meant}`,
  ],
  'url-query': ({ example }) => [`use only the base URL, for example ${example}`],
  'url-unencrypted': ({ secure }) => [`use ${secure}`],
  'url-placeholder': () => ['the only placeholder is {region}'],
  'url-user': () => ['remove it; gwtoken login stores credentials in the keychain'],
  'flags-conflict': () => ['omit one of them'],
  'not-set': ({ key, profile }) => [`to set it, run: gwtoken config set ${key} VALUE${profileFlag(profile)}`],
  'no-unset-format': () => ['delete the file or the lines in it'],
  'unfit-format': ({ instead }) => [instead && `use instead: ${instead}`],

  // Files, streams and programs
  'no-runner-file': ({ variable }) => [
    `the runner sets ${variable} for each step; for a shell, see: gwtoken help shells`,
  ],
  'not-appendable': () => ["check the free disk space and the file's permissions"],
  'not-writable': () => ['choose another path'],
  'mounted-file': () => ['mount its directory instead of the file'],
  'relative-path': () => ['pass an absolute path, or change to another directory'],
  'no-home': (cause) => [noHomeStep(cause)],
  untrusted: ({ chmod, variable }) => [
    chmod ? `run: ${chmod}` : `run gwtoken as its owner, or set ${variable} to a directory you own`,
  ],
  'directory-not-writable': ({ variable }) => [`set ${variable} to a writable directory`],
  'bad-file': ({ path }) => [`fix ${path}, or rename it to start without it`],
  'no-free-descriptors': () => ['close two of them: 8>&- 9>&-'],
  'word-not-utf8': () => ['write it in UTF-8'],
  'variable-not-utf8': ({ name }) => [
    name === undefined ? 'unset it' : `to run the command without it, run: env -u ${name} gwtoken …`,
  ],
  'stdout-failed': () => ['free some disk space, or write elsewhere'],
  'lock-held': () => ['stop that process and try again'],
  'system-limit': ({ isMemory }) => [
    // The WebAssembly in which undici parses HTTP reserves 8 GB of addresses.
    isMemory ? 'raise ulimit -v, or use the standalone executable, which needs less' : undefined,
    'to see the limits, run: ulimit -a',
  ],
  'command-not-found': ({ shell }) => [
    `check the spelling and PATH; for a shell's built-in or line, run: gwtoken exec -- ${shell}`,
  ],
  'curl-not-found': () => ['install it, or add its directory to PATH'],

  // Warnings of doctor and status
  'none-selected': (_, facts) => [
    otherCause(facts),
    `to select one, add --region, or run: gwtoken config set region ${REGIONS[0]}`,
  ],
  'clock-off': () => ['set the clock: timedatectl set-ntp true (Linux), or the date and time settings'],
  'certificate-ending': () => ["ask the endpoint's operator to renew the certificate"],
};

export const REASONS = Object.keys(ROWS) as Reason[];
