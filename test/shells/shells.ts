/** The shells of the tests, with their options and the contexts in which they evaluate an output. */
import { existsSync, readFileSync } from 'node:fs';
import type { Need } from '../harness/needs';

export interface Shell {
  readonly name: string;
  /** The format of `gwtoken env` for this shell. */
  readonly format: 'sh' | 'fish';
  readonly command: string;
  readonly args: readonly string[];
  /** The Debian package of the shell. */
  readonly debian: Need;
  /** Statements that set options, or the IFS, or both. The first one keeps the shell's defaults. */
  readonly states: readonly string[];
  /** Lines that evaluate the output of a command, by a name for messages. The first one is the usual one. */
  readonly contexts: Readonly<Record<string, (command: string) => string>>;
  /** Returns a statement that writes the environment of a child process to a file, separated by NUL. */
  readonly save: (path: string) => string;
  /** Returns lines that run a statement and then exit with the status of the line before them. */
  readonly keepStatus: (statement: string) => readonly string[];
}

const IFS = ['', 'unset IFS;', 'IFS=;', "IFS='\n';", 'IFS=:;'];
const POSIX_OPTIONS = ['', 'set -f;', 'set -eu;'];
const BASH_OPTIONS = [
  ...POSIX_OPTIONS,
  'shopt -s nullglob;',
  'shopt -s failglob;',
  'shopt -s extglob dotglob globstar nocaseglob;',
];
const ZSH_OPTIONS = [
  ...POSIX_OPTIONS,
  'setopt shwordsplit globsubst extendedglob;',
  'setopt shwordsplit globsubst nullglob;',
];

/** Combines each IFS with the defaults and with shwordsplit. The other options do not change how words are split. */
function statesOf(options: readonly string[]): string[] {
  return options.flatMap((option) =>
    option === '' || option.includes('shwordsplit') ? IFS.map((ifs) => option + ifs) : [option],
  );
}

/** Reads an environment that `shell.save` wrote. latin1 keeps a byte that a shell has damaged visible. */
export function savedEnvironment(path: string): Record<string, string> {
  if (!existsSync(path)) return {};
  const entries = readFileSync(path, 'latin1').split('\0');
  return Object.fromEntries(
    entries.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
  );
}

const save = (path: string): string => `env -0 > '${path}'`;

function posix(name: string, debian: Need, options: readonly string[] = POSIX_OPTIONS): Shell {
  const [command = '', ...args] = name.split(' ');
  return {
    name,
    format: 'sh',
    command,
    args,
    debian,
    states: statesOf(options),
    contexts: {
      'eval $(…)': (output) => `eval $(${output})`,
      'eval "$(…)"': (output) => `eval "$(${output})"`,
      'eval `…`': (output) => `eval \`${output}\``,
      '. file': (output) => `${output} > "$SCRATCH"; . "$SCRATCH"`,
    },
    save,
    keepStatus: (statement) => ['status_=$?', statement, 'exit "$status_"'],
  };
}

export const SHELLS: readonly Shell[] = [
  posix('dash', 'dash'),
  posix('bash', 'bash', BASH_OPTIONS),
  // Its options are bash's.
  posix('bash --posix', 'bash', ['']),
  posix('zsh', 'zsh', ZSH_OPTIONS),
  posix('ksh93', 'ksh93u+m'),
  posix('mksh', 'mksh'),
  posix('busybox sh', 'busybox'),
  {
    name: 'fish',
    format: 'fish',
    command: 'fish',
    args: ['--no-config'],
    debian: 'fish',
    states: [''],
    contexts: {
      '| source': (output) => `${output} | source`,
      'eval (…)': (output) => `eval (${output})`,
      'eval (… | string collect)': (output) => `eval (${output} | string collect)`,
    },
    save,
    keepStatus: (statement) => ['set status_ $status', statement, 'exit $status_'],
  },
];
