import { type ErrorKind, exitCodeFor, failure, GwtokenError } from '../../errors';
import { oneLine } from '../../text';
import type { Row } from '../report';

/** One line of `gwtoken doctor`. */
export interface Check extends Required<Row> {
  /** `settings`, `keychain`, `region eu`: the heading that it stands under. */
  readonly section: string;
  /** Of a failed check: what a command fails with for it. */
  readonly kind: ErrorKind | undefined;
}

/** Makes the checks of one section. */
export function section(title: string) {
  const check = (result: Check['result'], kind?: ErrorKind) => {
    return (name: string, message: string, ...hints: string[]): Check => {
      return { section: title, name, result, message: oneLine(message), hints: hints.map(oneLine), kind };
    };
  };
  return {
    ok: check('ok'),
    warning: check('warning'),
    skipped: check('skipped'),
    failed: (kind: ErrorKind, ...rest: Parameters<ReturnType<typeof check>>) =>
      check('failed', kind)(...rest),
    /** What a command would fail with. Anything but a GwtokenError is a bug, and thrown on. */
    error: (name: string, error: unknown): Check => {
      if (!(error instanceof GwtokenError)) throw error;
      return check('failed', error.kind)(name, error.message, ...error.hints);
    },
  };
}

/** The error for failed checks, with the exit code of the first. */
export function failureOf(checks: readonly Check[]): GwtokenError | undefined {
  const failed = checks.filter(({ result }) => result === 'failed');
  const first = failed[0];
  if (first?.kind === undefined) return undefined;
  const many = failed.length > 1 ? `${failed.length} checks failed; first: ` : 'check failed: ';
  const message = `${many}${first.section}, ${first.name}: ${first.message}`;
  return failure(first.kind, message, 'see the fixes above');
}

/** One check as JSON; `exit_code` is null unless it failed. */
export function checkJson({ section: title, name, result, message, hints, kind }: Check): object {
  return { section: title, name, result, message, hints, exit_code: kind ? exitCodeFor(kind) : null };
}
