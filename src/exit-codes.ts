/** Exit codes by the kind of error. Scripts rely on them: none ever changes. */
export const EXIT_CODES = {
  local: 1,
  usage: 2,
  refused: 3,
  'no-credentials': 4,
  keychain: 5,
  unreached: 6,
  'bad-reply': 7,
  'not-runnable': 126,
  'not-found': 127,
} as const;

export type ErrorKind = keyof typeof EXIT_CODES;

export function isErrorKind(text: unknown): text is ErrorKind {
  return typeof text === 'string' && Object.hasOwn(EXIT_CODES, text);
}

/** Exit code of `exec` and `curl` if gwtoken itself fails, so that it can be told from the command's. */
export const EXEC_FAILED = 125;
