/** Every format of `gwtoken env`. A new one is a {@link Format} and its line here. */

import { GwtokenError } from '../errors';
import { quoted } from '../text';
import { azure } from './azure';
import { checkVariables } from './check';
import { cmd } from './cmd';
import { csh } from './csh';
import { elvish } from './elvish';
import { docker, dotenv } from './env-files';
import { fish } from './fish';
import type { Format } from './format';
import { githubEnv, githubOutput } from './github';
import { json, nu } from './json';
import { posix } from './posix';
import { powershell } from './powershell';

const FORMATS: readonly Format[] = [
  posix,
  fish,
  csh,
  powershell,
  cmd,
  nu,
  elvish,
  json,
  dotenv,
  docker,
  githubEnv,
  githubOutput,
  azure,
].map(refusing);

/** No format of the table can be made to print what it cannot carry. */
function refusing(format: Format): Format {
  return {
    ...format,
    set(variables) {
      checkVariables(variables);
      return format.set(variables);
    },
  };
}

export const FORMAT_NAMES: readonly string[] = FORMATS.map(({ name }) => name);

export function findFormat(name: string): Format | undefined {
  return FORMATS.find((format) => format.name === name);
}

/** @param where the source of the name, for the message; an unknown one is a `usage` error */
export function formatNamed(name: string, where: string): Format {
  const found = findFormat(name);
  if (found) return found;
  throw new GwtokenError('usage', `unknown format ${quoted(name)} (from ${where})`, {
    hints: [`use one of: ${FORMAT_NAMES.join(', ')}`],
  });
}
