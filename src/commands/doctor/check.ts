import { GwtokenError } from '../../errors';
import type { ErrorKind } from '../../exit-codes';
import type { ReportLine } from '../report';

/** One check and its result. */
export interface Check extends Required<ReportLine> {
  readonly name: string;
  /** Kind of the error that commands fail with for the same reason; undefined unless it failed. */
  readonly kind: ErrorKind | undefined;
}

export interface Section {
  /** `settings`, `keychain`, `default:production:eu`. */
  readonly title: string;
  /** Says it in one line, if all is fine. */
  readonly summary: string;
  readonly checks: readonly Check[];
  /** True if a request was made: its failure is shown even if an earlier section has the same message. */
  readonly wasTried?: true;
}

export function check(
  result: Exclude<Check['result'], 'failed'>,
  name: string,
  message: string,
  ...hints: string[]
): Check {
  return { name, result, message, hints, kind: undefined };
}

/** Returns a check that failed as a command would. Any other class of error is a bug and is thrown again. */
export function failed(name: string, error: unknown): Check {
  if (!(error instanceof GwtokenError)) throw error;
  const { kind, message, hints } = error;
  return { name, result: 'failed', message, hints, kind };
}
