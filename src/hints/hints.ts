/** The next steps after an error: its own, or those of its reason's row, best first. Two are shown. */
import type { Cause, Reason } from '../causes';
import { type Client, clientFlags, REGIONS } from '../client';
import type { CredentialSource } from '../credentials/source';
import type { GwtokenError } from '../errors';
import type { FlagValues, Settings } from '../settings/table';
import type { World } from '../world';
import { CLIENT_ROWS, noHomeStep, otherCause, useVariables } from './client';
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
    ...mistakes,
    ...(cause ? stepsFor(cause, facts) : []),
    ...(kind === 'keychain' && source ? [otherCause(facts), ...useVariables(facts)] : []),
  ];
  const best = [...new Set(steps.filter((step) => step !== undefined))];
  return lastStep === undefined ? best.slice(0, MOST_HINTS) : [...best.slice(0, MOST_HINTS - 1), lastStep];
}

/** The step after a comment on the line. */
export const OMIT_COMMENT = 'leave the comment out: on a typed line, zsh passes it as arguments';

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
  if (!source || source.kind === 'keychain') return useVariables({ settings })[0];
  return `no login is needed with ${source.name}`;
}

/** Returns the last step after a login that was interrupted while it stored the client's credentials. */
export function removeStored(client: Client, flags: FlagValues): string {
  return `the credentials may be stored; to remove them, run: gwtoken logout ${clientFlags(client, flags)}`;
}

/** Returns the steps of a cause, best first. */
function stepsFor(cause: Cause, facts: Facts): Steps {
  if (!('reason' in cause)) return cause;
  // A stored failure may have any reason.
  const row = ROWS[cause.reason] as Row<Reason> | undefined;
  return row?.(cause, facts) ?? [];
}

const ROWS: Rows = {
  ...CLIENT_ROWS,

  // Connections
  'time-limit': ({ hints }) => hints,
  unreachable: ({ hints }) => hints,
  'ca-file': () => ['pass a PEM file with --ca-file'],

  // Directories
  'no-home': (cause) => [noHomeStep(cause)],
  untrusted: ({ chmod, variable }) => [
    chmod ? `run: ${chmod}` : `run gwtoken as its owner, or set ${variable} to a directory you own`,
  ],

  // A warning of status
  'none-selected': (_, facts) => [
    otherCause(facts),
    `to select one, add --region, or run: gwtoken config set region ${REGIONS[0]}`,
  ],
};

export const REASONS = Object.keys(ROWS) as Reason[];
