/** Mistakes in copying an ID or a secret. Only a refusal names them: a secret may look like one. */
import { GwtokenError } from '../errors';
import type { Credentials } from './credentials';

const MISTAKES: readonly (readonly [value: RegExp, problem: string])[] = [
  [/^(["'`]).*\1$/s, 'begins and ends with a quote'],
  [/^\s|\s$/, 'begins or ends with a space'],
  // Of shells, Azure, GitHub, Jinja, cmd.exe and manuals; and a secret that a log has masked.
  [/^(\$\(.*\)|\$?\{.*\}|\$[A-Z_]+|%\w+%|<.*>|\*{3,})$/s, 'is a placeholder that nothing has replaced'],
];

/** What messages call a client's ID and secret: the variables that hold them, or these words. */
export type ValueNames = readonly [id: string, secret: string];
const VALUES: ValueNames = ['the client ID', 'the client secret'];

/** Returns the error; if the credentials were refused, its first hints are the mistakes in them. */
export function withMistakes(
  error: unknown,
  { clientId, clientSecret }: Credentials,
  [id, secret] = VALUES,
): unknown {
  if (!(error instanceof GwtokenError) || error.kind !== 'refused') return error;
  const values = [
    [id, clientId],
    [secret, clientSecret],
  ] as const;
  const hints = values.flatMap(([name, value]) => {
    const mistake = MISTAKES.find(([pattern]) => pattern.test(value));
    return mistake ? [`${name} ${mistake[1]}`] : [];
  });
  return new GwtokenError(error.kind, error.message, { ...error, hints: [...hints, ...error.hints] });
}
