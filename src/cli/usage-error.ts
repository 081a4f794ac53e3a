/** Usage errors of the command line, with what was probably meant. They show no value, which may be a secret. */
import type { CommanderError } from 'commander';
import type { Cause } from '../causes';
import { COMMON_FLAGS, type Flag, longName, takesValue } from '../commands/flags';
import { COMMANDS } from '../commands/grammar';
import { type GwtokenError, usage } from '../errors';
import { listOf, quoted, similarWords } from '../text';
import { flagNamed, type GivenFlag, type Line, startsProgram } from './line';

/** Commands of gh, aws, gcloud, docker and others, with gwtoken's own for each. */
const OTHER_TOOLS: ReadonlyMap<string, string> = new Map([
  ['whoami', 'status'],
  ['show', 'status'],
  ['list', 'status'],
  ['ls', 'status'],
  ['profiles', 'status'],
  ['token', 'get'],
  ['print-access-token', 'get'],
  ['refresh', 'get --fresh'],
  ['cache', 'get --fresh'],
  ['auth', 'login'],
  ['setup', 'login'],
  ['run', 'exec'],
  ['export', 'env'],
  ['api', 'curl'],
  ['http', 'curl'],
  ['wget', 'curl'],
  ['set', 'config set'],
  ['config show', 'status --verbose'],
  ['version', '--version'],
]);

/** Flags of curl, direnv and others, with gwtoken's own for each. */
const OTHER_FLAGS: ReadonlyMap<string, string> = new Map([
  ['--cacert', '--ca-file'],
  ['--environment', '--sandbox'],
  ['--refresh', '--fresh'],
  ['--shell', '--format'],
  ['--token-url', '--auth-url'],
  ['-o', '--output'],
]);

/** Flags by which gh, aws, kubectl and docker print JSON, if their value is `json`. */
const JSON_FLAGS = ['-o', '-f', '--output', '--format'];

/** Throws if a word that should name a command or subcommand does not, or if a flag has only one hyphen. */
export function checkNames(line: Line): void {
  const command = line.path.at(-1);
  for (const { words } of line.flags) {
    const word = withoutValue(words[0]!);
    if (!word.startsWith('--') && flagNamed(`-${word}`, command))
      throw lineError(line, `unknown option ${quoted(word)}`, mistyped(`-${word}`));
  }
  if (!command && line.args.length === 0 && line.program.length > 0)
    throw lineError(line, 'no command given before "--"');
  const [word] = line.args;
  if (word !== undefined && (!command || command.subcommands)) {
    const name = withoutValue(word);
    throw lineError(line, `unknown command ${quoted(name)}`, meantByCommand(name, line));
  }
}

/** Throws if an argument is missing or excess. */
export function checkArguments(line: Line): void {
  const expected = line.path.at(-1)?.args?.split(' ') ?? [];
  const given = startsProgram(line) ? line.program : line.args;
  const [missing] = expected.slice(given.length).filter((name) => name.startsWith('<'));
  if (missing !== undefined) {
    const cause: Cause | undefined = given.at(-1)?.includes('=') ? { reason: 'joined-value' } : undefined;
    throw lineError(line, `missing required argument ${quoted(missing.slice(1, -1))}`, cause);
  }
  const excess = line.args[expected.length];
  if (excess === undefined || expected.at(-1)?.includes('...')) return;
  const taken = expected.length === 0 ? 'no arguments' : `only ${expected.join(' ')}`;
  const comment = excess === '#' ? ', and got "#"' : '';
  throw lineError(line, `${lineName(line)} takes ${taken}${comment}`, meantByArgument(excess, line));
}

/**
 * Returns the usage error for commander's error about a flag. Its only field is its code, so this looks for
 * the flag in the line.
 */
export function flagError({ code, message }: CommanderError, line: Line): GwtokenError {
  if (code !== 'commander.unknownOption')
    return lineError(line, message.replace(/^error: /, '').replaceAll("'", '"'));
  const command = line.path.at(-1);
  const wrong = line.flags.find(({ name, value }) => {
    const flag = flagNamed(name, command);
    return !flag || (value !== undefined && !takesValue(flag.spec));
  });
  if (!wrong) {
    // Without a command, commander knows no flag.
    const isVerbose = line.flags[0]?.name === '-v';
    return lineError(line, 'no command given', isVerbose ? mistyped('gwtoken --version') : undefined);
  }
  if (flagNamed(wrong.name, command)) return lineError(line, `${wrong.name} takes no value`);
  return lineError(line, `unknown option ${quoted(wrong.name)}`, meantByOption(wrong, line));
}

/** Makes a usage error whose last hint is the help of the line's command. */
function lineError(line: Line, problem: string, cause: Cause = { reason: 'bad-line' }): GwtokenError {
  return usage(problem, cause).about({ command: lineName(line) });
}

function lineName({ path }: Line): string {
  return ['gwtoken', ...path.map(({ name }) => name)].join(' ');
}

/** Returns `NAME` of `NAME=VALUE`. */
function withoutValue(word: string): string {
  return word.replace(/=.*/s, '');
}

/** Returns the cause that names the intended command. In `auth status`, the second word counts more. */
function meantByCommand(typed: string, { path, args }: Line): Cause | undefined {
  const word = typed.toLowerCase();
  if (word === 'revoke') return { reason: 'no-revoke' };
  const names = (path.at(-1)?.subcommands ?? COMMANDS).map(({ name }) => name);
  const ownCommand = (other: string): string | undefined =>
    OTHER_TOOLS.get([...path.map(({ name }) => name), other].join(' '));
  const second = word === 'auth' ? args[1]?.toLowerCase() : undefined;
  const meant = (second && (names.find((name) => name === second) ?? ownCommand(second))) || ownCommand(word);
  return meant ? mistyped(`gwtoken ${meant}`) : (dashIn(word) ?? similar(word, names));
}

/** Returns the cause if a value stands without its flag, a flag without its hyphens, or a comment. */
function meantByArgument(typed: string, line: Line): Cause | undefined {
  if (typed === '#') return { reason: 'comment' };
  const word = withoutValue(typed).toLowerCase();
  const flags = line.path.at(-1)?.flags ?? [];
  const hasValue = ({ spec, values }: Flag): boolean => takesValue(spec) && values?.includes(word) === true;
  const flag = flags.find((each) => longName(each) === `--${word}` || hasValue(each));
  return flag ? mistyped(`${longName(flag)}${hasValue(flag) ? ` ${word}` : ''}`) : dashIn(word);
}

/** Returns the cause if a chat or a text editor has put a dash in place of the hyphens. */
function dashIn(word: string): Cause | undefined {
  return /^[\u2010-\u2015\u2212]/.test(word) ? { reason: 'dash' } : undefined;
}

/** Returns the cause that names the intended flag, or another way to give what the flag would give. */
function meantByOption({ name, value }: GivenFlag, { path, args }: Line): Cause | undefined {
  const flags = [...(path.at(-1)?.flags ?? COMMANDS.flatMap((each) => each.flags)), ...COMMON_FLAGS];
  const names = flags.map(longName);
  const has = (flag: string): boolean => names.includes(flag);
  const wantsJson = name === '--json' || (JSON_FLAGS.includes(name) && [value, ...args].includes('json'));
  if (wantsJson && has('--json')) return mistyped('--json');
  if (wantsJson && has('--format')) return mistyped('--format json');
  const other = OTHER_FLAGS.get(name) ?? '';
  if (has(other)) return mistyped(other);
  const hasStdin = has('--secret-stdin');
  if (/secret|password/i.test(name) || (hasStdin && /token/i.test(name)))
    return { reason: 'secret-flag', hasStdin };
  return similar(name, names);
}

function similar(word: string, known: readonly string[]): Cause | undefined {
  const words = similarWords(word, known, 1);
  return words.length > 0 ? mistyped(listOf(words)) : undefined;
}

function mistyped(meant: string): Cause {
  return { reason: 'mistyped', meant };
}
