/** The shells of Windows: cmd.exe and PowerShell. */
import { cannotCarry, checkForWindows, type Format, type Variable } from './format';

/** The longest line that cmd.exe reads, in characters. */
const LINE_LIMIT = 8191;

/**
 * cmd.exe, one simple command a line for `FOR /F … DO @%i`. What `" % ! ^ & | < >` mean there depends on their
 * place and on options, so a value with other than plain characters is refused.
 */
export const cmd: Format = {
  set: (variables) => variables.map(cmdStatement).join(''),
  unset: (names) => names.map(removeCmd).join(''),
  failure: (names, exitCode) => `${names.map(removeCmd).join('')}cmd /d /c exit ${exitCode}\n`,
  hint: (command) => `FOR /F "delims=" %i IN ('${command}') DO @%i`,
  quote: (word) => `"${word}"`,
};

function cmdStatement({ name, value }: Variable): string {
  if (value === undefined) return removeCmd(name);
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

function removeCmd(name: string): string {
  return `SET "${name}="\n`;
}

/** PowerShell, through `| Out-String | Invoke-Expression`: a native program's output arrives there as an array of lines. */
export const powershell: Format = {
  set: (variables) => variables.map(powershellStatement).join(''),
  unset: (names) => removePowershell(names),
  failure: (names, exitCode) => `${removePowershell(names)}throw 'gwtoken failed (exit code ${exitCode})'\n`,
  hint: (command) => `${command} | Out-String | Invoke-Expression`,
  quote,
};

function powershellStatement({ name, value }: Variable): string {
  if (value === undefined) return removePowershell([name]);
  checkForWindows({ name, value });
  // An empty text would remove the variable, which is what an empty variable is on Windows.
  return `$env:${name} = ${quote(value)}\n`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function removePowershell(names: readonly string[]): string {
  return `Remove-Item ${names.map((name) => `Env:${name}`).join(',')} -ErrorAction SilentlyContinue\n`;
}
