/**
 * cmd.exe, one simple command a line for `FOR /F … DO @%i`. What `" % ! ^ & | < >` mean there depends on where they
 * stand and on options, so a value with other than plain characters is refused.
 */
import { cannotCarry, type Format, type Variable } from './format';

/** The longest line that cmd.exe reads, in characters. */
const LINE_LIMIT = 8191;

export const cmd: Format = {
  set: (variables) => variables.map(statement).join(''),
  unset: (names) => names.map(remove).join(''),
  failure: (names, exitCode) => `${names.map(remove).join('')}cmd /d /c exit ${exitCode}\n`,
  hint: (command) => `FOR /F "delims=" %i IN ('${command}') DO @%i`,
  quote: (word) => `"${word}"`,
};

function statement({ name, value }: Variable): string {
  if (value === undefined) return remove(name);
  if (!/^[A-Za-z0-9 ._~+/=:@,-]*$/.test(value)) {
    throw cannotCarry(
      name,
      'contains a character that cmd.exe may alter',
      'use --format powershell in PowerShell, or: gwtoken exec -- COMMAND',
    );
  }
  const line = `SET "${name}=${value}"\n`;
  if (line.length <= LINE_LIMIT) return line;
  throw cannotCarry(
    name,
    `is too long for cmd.exe (limit: ${LINE_LIMIT} characters a line)`,
    'use --format powershell in PowerShell, or: gwtoken exec -- COMMAND',
  );
}

function remove(name: string): string {
  return `SET "${name}="\n`;
}
