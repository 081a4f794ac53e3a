/** Every format of `gwtoken env`. A new one is a {@link Format}, its name in flags.ts and its line here. */

import type { EnvFormat } from '../flags';
import { azure } from './azure';
import { cmd } from './cmd';
import { csh } from './csh';
import { elvish } from './elvish';
import { docker, dotenv } from './env-files';
import { fish } from './fish';
import { checkVariables, type Format } from './format';
import { formatAmong } from './get';
import { githubEnv, githubOutput } from './github';
import { json, nu } from './json';
import { posix } from './posix';
import { powershell } from './powershell';

const FORMATS: Readonly<Record<EnvFormat, Format>> = {
  sh: posix,
  fish,
  csh,
  powershell,
  cmd,
  nu,
  elvish,
  json,
  dotenv,
  docker,
  'github-env': githubEnv,
  'github-output': githubOutput,
  azure,
};

/** Shells whose name is not their format's, by the name that people type (contract section 4). */
const SHELLS: Readonly<Record<string, EnvFormat>> = {
  bash: 'sh',
  zsh: 'sh',
  ksh: 'sh',
  dash: 'sh',
  tcsh: 'csh',
  pwsh: 'powershell',
  nushell: 'nu',
};

/** The name in the table for a name that was given; undefined where there is none. */
export function knownFormat(name: string): EnvFormat | undefined {
  if (Object.hasOwn(SHELLS, name)) return SHELLS[name];
  return Object.hasOwn(FORMATS, name) ? (name as EnvFormat) : undefined;
}

/**
 * The format of that name. None can be made to print what it cannot carry.
 *
 * @param where the source of the name, for the message; an unknown one is a `usage` error
 */
export function formatNamed(name: string, where: string): Format {
  const format = formatAmong(FORMATS, knownFormat(name) ?? name, where);
  return {
    ...format,
    set(variables) {
      checkVariables(variables);
      return format.set(variables);
    },
  };
}
