/** Exit codes, each with the kind of error that it stands for. Scripts rely on them: none ever changes. */
export const EXIT_CODES = {
  0: { words: 'success' },
  1: { kind: 'local', words: 'cannot write a file or output, or a bug' },
  2: { kind: 'usage', words: 'usage or configuration error' },
  3: { kind: 'refused', words: 'credentials rejected' },
  4: { kind: 'no-credentials', words: 'no credentials for this client' },
  5: { kind: 'keychain', words: 'keychain or credential command failed' },
  6: { kind: 'unreached', words: 'could not reach the token endpoint' },
  7: { kind: 'bad-reply', words: 'unusable reply from the token endpoint' },
  // Only from `exec` and `curl`, so that a failure of gwtoken itself can be told from the command's.
  125: { words: 'gwtoken itself failed' },
  126: { kind: 'not-runnable', words: 'command cannot be executed' },
  127: { kind: 'not-found', words: 'command not found' },
} as const;

type ExitCode = keyof typeof EXIT_CODES;
export type ErrorKind = Extract<(typeof EXIT_CODES)[ExitCode], { readonly kind: string }>['kind'];

export function exitCodeFor(kind: ErrorKind): number {
  return Number(Object.entries(EXIT_CODES).find(([, row]) => 'kind' in row && row.kind === kind)?.[0]);
}

export function isErrorKind(text: unknown): text is ErrorKind {
  return Object.values(EXIT_CODES).some((row) => 'kind' in row && row.kind === text);
}

/** Exit code of `exec` and `curl` if gwtoken itself fails. */
export const EXEC_FAILED = 125;
