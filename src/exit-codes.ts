/**
 * Every exit code once, with the kind of error that ends with it, and in words. The contract's section 5 is this table;
 * scripts branch on it, so a row may be added but never change its number. A file of its own, since a run that succeeds
 * has no use for it.
 */
export const EXIT_CODES = {
  0: { words: 'done' },
  1: { kind: 'local', words: 'a local file or stream could not be written, or a bug' },
  2: { kind: 'usage', words: 'usage or configuration' },
  3: { kind: 'refused', words: 'the endpoint refused these credentials' },
  4: { kind: 'no-credentials', words: 'no credentials found for this client' },
  5: { kind: 'keychain', words: 'the keychain or the credential command does not work' },
  6: { kind: 'unreached', words: 'the endpoint was not reached' },
  7: { kind: 'bad-reply', words: 'the endpoint answered with neither a token nor a refusal' },
  // These belong to `exec` alone: a failure of gwtoken's own can be told from any of the command's.
  125: { words: 'gwtoken itself failed, for whatever reason' },
  126: { kind: 'not-runnable', words: 'the command cannot be run' },
  127: { kind: 'not-found', words: 'the command was not found' },
} as const;

export type ExitCode = keyof typeof EXIT_CODES;
export type ErrorKind = Extract<(typeof EXIT_CODES)[ExitCode], { readonly kind: string }>['kind'];

export function exitCodeFor(kind: ErrorKind): number {
  return Number(Object.entries(EXIT_CODES).find(([, row]) => 'kind' in row && row.kind === kind)?.[0]);
}

export function isErrorKind(text: unknown): text is ErrorKind {
  return Object.values(EXIT_CODES).some((row) => 'kind' in row && row.kind === text);
}

/** The codes of a command that fetches a token. */
export const FETCH_CODES: readonly ExitCode[] = [3, 4, 5, 6, 7];

/** The exit code of `exec` for a failure of gwtoken's own. */
export const EXEC_FAILED = 125;
