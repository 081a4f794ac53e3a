/** Usage errors of the command line, with hints on what to type. They show no value, which may be a secret. */
import type { CommanderError } from 'commander';
import { COMMON_FLAGS, type Flag, longName, takesValue } from '../commands/flags';
import { COMMANDS } from '../commands/grammar';
import { type GwtokenError, usage } from '../errors';
import { quoted, similarWords } from '../text';
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
      throw lineError(line, `unknown option ${quoted(word)}`, `did you mean: -${word}`);
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
    const hint = given.at(-1)?.includes('=') ? 'put a space between KEY and VALUE' : undefined;
    throw lineError(line, `missing required argument ${quoted(missing.slice(1, -1))}`, hint);
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
    return lineError(line, 'no command given', isVerbose ? 'did you mean: gwtoken --version' : undefined);
  }
  if (flagNamed(wrong.name, command)) return lineError(line, `${wrong.name} takes no value`);
  return lineError(line, `unknown option ${quoted(wrong.name)}`, meantByOption(wrong, line));
}

/** Makes a usage error that names the help of the line's command. */
function lineError(line: Line, problem: string, hint?: string): GwtokenError {
  const hints = hint === undefined ? [] : [hint];
  return usage(problem, ...hints, `for help, run: ${lineName(line)} --help`);
}

function lineName({ path }: Line): string {
  return ['gwtoken', ...path.map(({ name }) => name)].join(' ');
}

/** Returns `NAME` of `NAME=VALUE`. */
function withoutValue(word: string): string {
  return word.replace(/=.*/s, '');
}

/** Returns a hint at the intended command. In `auth status`, the second word counts more than the first. */
function meantByCommand(typed: string, { path, args }: Line): string | undefined {
  const word = typed.toLowerCase();
  if (word === 'revoke') return 'to revoke a client, use the Clients page';
  const names = (path.at(-1)?.subcommands ?? COMMANDS).map(({ name }) => name);
  const ownCommand = (other: string): string | undefined =>
    OTHER_TOOLS.get([...path.map(({ name }) => name), other].join(' '));
  const second = word === 'auth' ? args[1]?.toLowerCase() : undefined;
  const meant = (second && (names.find((name) => name === second) ?? ownCommand(second))) || ownCommand(word);
  return meant ? `did you mean: gwtoken ${meant}` : (hyphenHint(word) ?? didYouMean(word, names));
}

/** Returns a hint if a value stands without its flag, a flag without its hyphens, or a comment. */
function meantByArgument(typed: string, line: Line): string | undefined {
  if (typed === '#') return 'leave the comment out: on a typed line, zsh passes it as arguments';
  const word = withoutValue(typed).toLowerCase();
  const flags = line.path.at(-1)?.flags ?? [];
  const hasValue = ({ spec, values }: Flag): boolean => takesValue(spec) && values?.includes(word) === true;
  const flag = flags.find((each) => longName(each) === `--${word}` || hasValue(each));
  if (flag) return `did you mean: ${longName(flag)}${hasValue(flag) ? ` ${word}` : ''}`;
  return hyphenHint(word);
}

/** Returns a hint if a word begins with a dash that a chat or a text editor has put in place of hyphens. */
function hyphenHint(word: string): string | undefined {
  return /^[\u2010-\u2015\u2212]/.test(word) ? 'use hyphens: -- and not a dash' : undefined;
}

/** Returns a hint at the intended flag, or at another way to give what the flag would give. */
function meantByOption({ name, value }: GivenFlag, { path, args }: Line): string | undefined {
  const flags = [...(path.at(-1)?.flags ?? COMMANDS.flatMap((each) => each.flags)), ...COMMON_FLAGS];
  const names = flags.map(longName);
  const has = (flag: string): boolean => names.includes(flag);
  const wantsJson = name === '--json' || (JSON_FLAGS.includes(name) && [value, ...args].includes('json'));
  if (wantsJson && has('--json')) return 'for JSON, use --json';
  if (wantsJson && has('--format')) return 'for JSON, use --format json';
  const other = OTHER_FLAGS.get(name) ?? '';
  if (has(other)) return `did you mean: ${other}`;
  if (has('--secret-stdin') && /secret|password|token/i.test(name))
    return 'no flag takes a secret: use the prompt or --secret-stdin';
  if (/secret|password/i.test(name)) return 'no flag takes a secret: gwtoken login prompts for it';
  return didYouMean(name, names);
}

function didYouMean(word: string, known: readonly string[]): string | undefined {
  const similar = similarWords(word, known, 1);
  return similar.length > 0 ? `did you mean: ${similar.join(', ')}` : undefined;
}
