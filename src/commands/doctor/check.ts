import { type ErrorKind, exitCodeFor, GwtokenError } from '../../errors';
import { oneLine } from '../../text';
import type { Row } from '../report';

/** One thing that doctor looks at. */
export interface Check extends Required<Row> {
  /** `settings`, `keychain`, `default:production:eu`: the heading that it stands under. */
  readonly section: string;
  readonly name: string;
  /** Of a failed check: what a command fails with for it. */
  readonly kind: ErrorKind | undefined;
}

export interface Section {
  readonly title: string;
  /** Says it in one line, if all is fine. */
  readonly summary: string;
  readonly checks: readonly Check[];
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

/** Skips what only repeats what a section before has said: the consequence of a failure, or the same certificate. */
export function withoutRepetitions(sections: readonly Section[]): Section[] {
  const said = new Set<string>();
  return sections.map(({ checks, ...rest }) => {
    const once = checks.map((check): Check => {
      if (check.result !== 'failed' && check.result !== 'warning') return check;
      if (said.has(check.message)) return { ...check, result: 'skipped', hints: [], kind: undefined };
      said.add(check.message);
      return check;
    });
    return { ...rest, checks: once };
  });
}

/** The result of the worst check; `skipped` if none could be tried. */
export function worst(checks: readonly Check[]): Check['result'] {
  const order = ['failed', 'warning', 'ok'] as const;
  return order.find((result) => checks.some((check) => check.result === result)) ?? 'skipped';
}

/** One check as JSON; `exit_code` is null unless it failed. */
export function checkJson({ section: title, name, result, message, hints, kind }: Check): object {
  return { section: title, name, result, message, hints, exit_code: kind ? exitCodeFor(kind) : null };
}
