/**
 * Mistakes in copying an ID or a secret. Only a refusal names them, because a valid secret may look like one.
 */
import { GwtokenError } from '../errors';
import type { Credentials } from './credentials';

const MISTAKES: readonly { readonly pattern: RegExp; readonly problem: string }[] = [
  { pattern: /^(["'`]).*\1$/s, problem: 'begins and ends with a quote' },
  { pattern: /^\s|\s$/, problem: 'begins or ends with a space' },
  // Placeholders of shells, Azure, GitHub, Jinja, cmd.exe and manuals, and a secret that a log has masked.
  {
    pattern: /^(\$\(.*\)|\$?\{.*\}|\$[A-Z_]+|%\w+%|<.*>|\*{3,})$/s,
    problem: 'is a placeholder that nothing has replaced',
  },
];

/** Names of a client's ID and secret in messages, such as the variables that contain them. */
export type ValueNames = readonly [id: string, secret: string];
const VALUES: ValueNames = ['the client ID', 'the client secret'];

/** Returns the error. If the credentials were refused, its first hints name the mistakes in them. */
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
    const mistake = MISTAKES.find(({ pattern }) => pattern.test(value));
    return mistake ? [`${name} ${mistake.problem}`] : [];
  });
  return new GwtokenError(error.kind, error.message, { ...error, hints: [...hints, ...error.hints] });
}
