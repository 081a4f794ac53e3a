/**
 * The next steps after an error: one row for each reason, best hint first. Two hints are shown. No other file
 * says "run:", "set", "check" or "did you mean"; only cli/usage-error.ts does, for a mistyped command line.
 */
import type { Cause, Reason } from './causes';
import type { GwtokenError } from './errors';

/** The most hints that an error shows. */
const MOST_HINTS = 2;

type Rows = {
  readonly [R in Reason]?: (facts: Extract<Cause, { readonly reason: R }>) => readonly string[];
};

const ROWS: Rows = {
  // Settings, flags and formats
  'bad-value': ({ allowed }) => [`use ${allowed}`],
  'not-a-url': ({ example, meant }) => [
    meant === undefined ? `example: ${example}` : `did you mean: ${meant}`,
  ],
  'url-query': ({ example }) => [`use only the base URL, for example ${example}`],
  'url-unencrypted': ({ secure }) => [`use ${secure}`],
  'url-placeholder': () => ['the only placeholder is {region}'],
  'url-user': () => ['remove it; gwtoken login stores credentials in the keychain'],
  'flags-conflict': () => ['omit one of them'],
  'no-unset-format': () => ['delete the file or the lines in it'],
  'unfit-format': ({ instead }) => (instead === '' ? [] : [`use instead: ${instead}`]),

  // Files, streams and programs
  'no-runner-file': ({ variable }) => [
    `the runner sets ${variable} for each step; for a shell, see: gwtoken help shells`,
  ],
  'not-appendable': () => ["check the free disk space and the file's permissions"],
  'not-a-file': () => ['choose another path'],
  'not-writable': () => ['choose a path that you can write to'],
  'relative-path': () => ['pass an absolute path, or change to another directory'],
  'stdout-failed': () => ['free some disk space, or write elsewhere'],
  'lock-held': () => ['stop that process and try again'],
  'system-limit': () => ['to see the limits, run: ulimit -a'],
  'command-not-found': ({ shell }) => [
    `check the spelling and PATH; for a shell's built-in or line, run: gwtoken exec -- ${shell}`,
  ],
  'curl-not-found': () => ['install it, or add its directory to PATH'],
};

/** Returns the hints of an error, best first: each is the next command or variable to type. */
export function hintsFor({ hints, cause }: Pick<GwtokenError, 'hints' | 'cause'>): readonly string[] {
  const row = cause && (ROWS[cause.reason] as ((facts: Cause) => readonly string[]) | undefined);
  return [...hints, ...(row?.(cause!) ?? [])].slice(0, MOST_HINTS);
}
