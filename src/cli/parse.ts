/** Checks a command line. Its errors name what was probably meant, and no value, which may be a secret. */
import type { Cause } from '../causes';
import { type Flag, HELP, longName, takesValue, VERSION } from '../commands/flags';
import { COMMANDS, type Command } from '../commands/grammar';
import { type GwtokenError, usage } from '../errors';
import { OMIT_COMMENT, showHelp } from '../hints/hints';
import { type FlagValues, settingOf } from '../settings/table';
import { listOf, quoted, similarWords } from '../text';
import { helpText } from './help';
import { flagNamed, flagsOf, flagValues, type GivenFlag, isComplete, type Line, startsProgram } from './line';

/** A valid command line: a command with its flags and words, or a text to show. */
type ParsedLine =
  | { readonly command: Command; readonly flags: FlagValues; readonly args: readonly string[] }
  /** `isAsked` is false for the help that is shown because nothing follows `gwtoken` or `gwtoken config`. */
  | { readonly text: string; readonly isAsked: boolean };

/** Parses a command line. Throws a `usage` error if it is invalid. */
export function parseLine(line: Line, version: string): ParsedLine {
  checkNames(line);
  const isAsked = ({ flag, value }: GivenFlag): boolean =>
    value === undefined && (flag === HELP || flag === VERSION);
  const asked = line.flags.find(isAsked)?.flag;
  if (asked) return { text: asked === HELP ? helpText(line.path) : `${version}\n`, isAsked: true };
  const { path, flags, args, program } = line;
  const command = path.at(-1);
  const lacksCommand = !command || command.subcommands !== undefined;
  if (lacksCommand && flags.length + args.length + program.length === 0)
    return { text: helpText(path), isAsked: false };
  checkFlags(line);
  if (lacksCommand) {
    const isVersion = !command && flags[0]?.name === '-v';
    throw lineError(line, 'no command given', isVersion ? mistyped('gwtoken --version') : undefined);
  }
  const words = startsProgram(line) ? program : args;
  checkArguments(words, line, command);
  return { command, flags: flagValues(flags), args: words };
}

/** Command lines, each with the commands of gh, aws, gcloud, docker and others that do the same. */
const OTHER_TOOLS: Readonly<Record<string, readonly string[]>> = {
  get: ['token', 'print-access-token', 'get-token', 'access-token'],
  'get --fresh': ['refresh', 'cache'],
  env: ['export'],
  exec: ['run'],
  curl: ['api', 'http', 'wget'],
  login: ['auth', 'setup', 'init', 'configure', 'signin', 'rotate'],
  logout: ['remove', 'signout'],
  status: ['whoami', 'show', 'list', 'ls', 'profile', 'profiles'],
  'status --verbose': ['config show'],
  doctor: ['check', 'test', 'debug'],
  'config set': ['set', 'use', 'switch'],
  'config list': ['config ls'],
  'config unset': ['config delete', 'config remove', 'config rm'],
  'config path': ['config edit'],
  'completion powershell': ['completion pwsh'],
  '--version': ['version'],
};

/** Flags by which gh, aws, kubectl and docker print JSON, if their value is `json`. */
const JSON_FLAGS = ['-o', '-f', '--output', '--format'];

/** Throws if a word that should name a command or subcommand does not, or if a flag has only one hyphen. */
function checkNames(line: Line): void {
  const command = line.path.at(-1);
  for (const { word } of line.flags) {
    const name = withoutValue(word);
    if (!name.startsWith('--') && flagNamed(`-${name}`, command))
      throw lineError(line, `unknown option ${quoted(name)}`, mistyped(`-${name}`));
  }
  const [word] = line.args;
  if (word === undefined || (command && !command.subcommands)) return;
  const name = withoutValue(word);
  throw lineError(line, `unknown command ${quoted(name)}`, meantByCommand(name, line));
}

/** Throws if a flag is unknown, or has a value or none where it must not. */
function checkFlags(line: Line): void {
  const wrong = line.flags.find((each) => !isComplete(each));
  if (!wrong) return;
  const { name, value, flag } = wrong;
  if (!flag) throw lineError(line, `unknown option ${quoted(name)}`, meantByOption(wrong, line));
  throw lineError(line, `${name} ${value === undefined ? 'needs a value' : 'takes no value'}`);
}

/** Throws if an argument is missing or excess. */
function checkArguments(given: readonly string[], line: Line, { args = '' }: Command): void {
  const expected = args.split(' ').filter(Boolean);
  const [missing] = expected.slice(given.length).filter((name) => name.startsWith('<'));
  if (missing !== undefined)
    throw lineError(line, `missing required argument ${quoted(missing.slice(1, -1))}`);
  const excess = line.args[expected.length];
  if (excess === undefined || expected.at(-1)?.includes('...')) return;
  const taken = expected.length === 0 ? 'no arguments' : `only ${expected.join(' ')}`;
  const comment = excess === '#' ? ', and got "#"' : '';
  throw lineError(line, `${lineName(line)} takes ${taken}${comment}`, meantByArgument(excess, line));
}

/** Makes a usage error whose last hint is the help of the line's command. */
function lineError(line: Line, problem: string, cause?: Cause): GwtokenError {
  return usage(problem, cause).about({ lastStep: showHelp(lineName(line)) });
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
  if (word === 'revoke') return ['to revoke a client, use the Clients page'];
  const names = (path.at(-1)?.subcommands ?? COMMANDS).map(({ name }) => name);
  const lineFor = (other: string): string | undefined => {
    const spelled = [...path.map(({ name }) => name), other].join(' ');
    return names.includes(other)
      ? spelled
      : Object.keys(OTHER_TOOLS).find((line) => OTHER_TOOLS[line]!.includes(spelled));
  };
  const meant = (word === 'auth' && lineFor(args[1]?.toLowerCase() ?? '')) || lineFor(word);
  if (meant) return mistyped(`gwtoken ${meant}`);
  if (settingOf(word)) return mistyped(`gwtoken config ${args.length === 1 ? 'get' : 'set'} ${word}`);
  return dashIn(word) ?? similar(word, names) ?? (path[0] && [`use ${listOf(names)}`]);
}

/** Returns the cause if a value stands without its flag, a flag without its hyphens, or a comment. */
function meantByArgument(typed: string, line: Line): Cause | undefined {
  if (typed === '#') return [OMIT_COMMENT];
  const word = withoutValue(typed).toLowerCase();
  const flags = line.path.at(-1)?.flags ?? [];
  const hasValue = ({ spec, values }: Flag): boolean => takesValue(spec) && values?.includes(word) === true;
  const flag = flags.find((each) => longName(each) === `--${word}` || hasValue(each));
  return flag ? mistyped(`${longName(flag)}${hasValue(flag) ? ` ${word}` : ''}`) : dashIn(word);
}

/** Returns the cause if a chat or a text editor has put a dash in place of the hyphens. */
function dashIn(word: string): Cause | undefined {
  return /^[\u2010-\u2015\u2212]/.test(word) ? ['use hyphens: -- and not a dash'] : undefined;
}

/** Returns the cause that names the intended flag, or another way to give what the flag would give. */
function meantByOption({ name, value }: GivenFlag, { path, args }: Line): Cause | undefined {
  const names = flagsOf(path.at(-1)).map(longName);
  const has = (flag: string): boolean => names.includes(flag);
  const wantsJson = name === '--json' || (JSON_FLAGS.includes(name) && [value, ...args].includes('json'));
  if (wantsJson && has('--json')) return mistyped('--json');
  if (wantsJson && has('--format')) return mistyped('--format json');
  const hasStdin = has('--secret-stdin');
  // A command without --auth-url uses no credentials.
  const isSecret = /secret|password|client.?id/i.test(name) || (hasStdin && /^--(access-)?token$/.test(name));
  if (!isSecret || !has('--auth-url')) return similar(name, names);
  return hasStdin
    ? ['no flag takes a secret: use the prompt or --secret-stdin']
    : ['no flag takes credentials: run gwtoken login, or see: gwtoken help ci'];
}

/** Returns the cause that names the words that are one typing error away, or else those that begin so. */
function similar(word: string, known: readonly string[]): Cause | undefined {
  const near = similarWords(word, known, 1);
  const meant = near.length > 0 ? near : known.filter((each) => each.startsWith(word));
  return meant.length > 0 && meant.length < 4 ? mistyped(listOf(meant)) : undefined;
}

function mistyped(meant: string): Cause {
  return [`did you mean: ${meant}`];
}
