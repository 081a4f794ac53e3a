/** Mistakes in copied credentials. Only a refusal names them, because a valid secret may look like one. */
import { GwtokenError, orUndefined } from '../errors';
import type { World } from '../world';
import { type Credentials, SECRET_LIMIT, type ValueNames } from './credentials';

const PLACEHOLDER = 'is a placeholder that nothing has replaced';

const MISTAKES: readonly (readonly [pattern: RegExp, problem: string])[] = [
  [/^(["'`]).*\1$/s, 'begins and ends with a quote'],
  [/^\s|\s$/, 'begins or ends with a space'],
  [/^\{\s*".*\}$/s, 'is JSON; give only the value'],
  // Placeholders of shells, Azure, GitHub, Jinja, cmd.exe and manuals, and a secret that a log has masked.
  [/^(\$\(.*\)|\$?\{.*\}|\$[A-Z_]+|%\w+%|<.*>|\*{3,}|#\{.*\}#|__\w+__)$/s, PLACEHOLDER],
  [/^(null|undefined|change_?me)$/i, PLACEHOLDER],
  // References of 1Password, vals, AWS, Vault, Azure, Google, sops and jasypt. An ID may be an https: URL.
  [
    /^((?!https?:)[a-z][\w+.-]*:\/\/|(arn|vault):|@Microsoft\.KeyVault\(|projects\/.*\/secrets\/|ENC[[(])/i,
    'looks like a reference that nothing has resolved',
  ],
  // Invisible characters, typographic quotes, and a dash or dots in place of `--` and `...`.
  [/[^ -~]/, 'contains characters outside ASCII, often copied along'],
];

const NO_VARIABLES: ValueNames = { id: 'the client ID', secret: 'the client secret' };

/** Returns the error. If the credentials were refused, its first hints name the mistakes in them. */
export function withMistakes(
  error: unknown,
  { clientId, clientSecret, names = NO_VARIABLES }: Credentials & { readonly names?: ValueNames },
  { readFile }: Pick<World, 'readFile'>,
): unknown {
  if (!(error instanceof GwtokenError) || error.kind !== 'refused') return error;
  const { id, secret, secretFile } = names;
  const values = [
    [id, clientId, undefined],
    [secret, clientSecret, secretFile],
  ] as const;
  const mistakes = values.flatMap(([name, value, forFile]) => {
    if (isFile(value, readFile))
      return [`${name} is the path of a file${forFile ? `; set ${forFile} instead` : ''}`];
    const mistake = MISTAKES.find(([pattern]) => pattern.test(value));
    return mistake ? [`${name} ${mistake[1]}`] : [];
  });
  return error.with({ hints: [...mistakes, ...error.hints] });
}

/** Returns whether the value is the absolute path of a file, as in a GitLab variable of the type File. */
function isFile(value: string, readFile: World['readFile']): boolean {
  return /^(\/|[a-z]:[\\/])/i.test(value) && orUndefined(() => readFile(value, SECRET_LIMIT)) !== undefined;
}
