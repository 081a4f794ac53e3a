/** The formats of `gwtoken env`. A new one is a {@link Format}, its name in names.ts and its line here. */

import { azure, githubEnv, githubOutput } from './ci';
import { docker, dotenv, json } from './files';
import { checkVariables, type Format } from './format';
import { type EnvFormat, formatAmong } from './names';
import { csh, fish, posix, powershell } from './shells';

const FORMATS = {
  // Always the default: `eval $(gwtoken env)` has to mean one thing, and its shell cannot be known.
  sh: posix,
  fish,
  csh,
  powershell,
  json,
  dotenv,
  docker,
  'github-env': githubEnv,
  'github-output': githubOutput,
  azure,
} satisfies Readonly<Record<EnvFormat, Format>>;

export const DEFAULT_ENV_FORMAT: EnvFormat = 'sh';

/** Shells whose name is not their format's, by the name that people type. */
const SHELLS: Readonly<Record<string, EnvFormat>> = {
  bash: 'sh',
  zsh: 'sh',
  ksh: 'sh',
  dash: 'sh',
  tcsh: 'csh',
  pwsh: 'powershell',
};

/** Returns the name in the table for a name that was given; undefined if there is none. */
export function knownFormat(name: string): EnvFormat | undefined {
  if (Object.hasOwn(SHELLS, name)) return SHELLS[name];
  return Object.hasOwn(FORMATS, name) ? (name as EnvFormat) : undefined;
}

/** Returns the format of that name, which refuses what it cannot carry; an unknown one is a `usage` error. */
export function formatNamed(name: string): Format {
  const format = formatAmong(FORMATS, knownFormat(name) ?? name);
  return {
    ...format,
    set(variables) {
      checkVariables(variables);
      return format.set(variables);
    },
  };
}
