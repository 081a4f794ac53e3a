/** The next steps after an error: its own, or those of its reason's row, best first. Two are shown. */
import type { Cause, Reason } from '../causes';
import type { GwtokenError } from '../errors';
import type { Settings } from '../settings/table';
import type { World } from '../world';
import { CLIENT_ROWS } from './client';
import { KEYCHAIN_ROWS } from './keychain';
import { REPLY_ROWS } from './replies';
import type { Facts, Row, Rows, Steps } from './row';
import { otherCause, useVariables } from './steps';

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

function stepsFor(cause: Cause, facts: Facts): Steps {
  if (!('reason' in cause)) return cause;
  // A stored failure may have any reason.
  const row = ROWS[cause.reason] as Row<Reason> | undefined;
  return row?.({ ...facts, ...cause }) ?? [];
}

const ROWS: Rows = { ...CLIENT_ROWS, ...REPLY_ROWS, ...KEYCHAIN_ROWS };

export const REASONS = Object.keys(ROWS) as Reason[];
