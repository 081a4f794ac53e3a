/** The error for a command line that gwtoken does not take, with the line that was meant. */
import type { Argument, CommanderError, Command as Parser } from 'commander';
import { isRegion } from '../client';
import { type GwtokenError, usage } from '../errors';
import { quoted, shellWord, similarWords } from '../text';
import { LEFT_OUT, onlyKnown } from './known-words';
import { isFlag } from './spelling';

type Words = readonly string[];
type Takes = (argv: Words) => boolean;

/** Words of gh, aws, gcloud, docker, npm and similar tools, with gwtoken's own for each. */
const OTHER_TOOLS: ReadonlyMap<string, string> = new Map([
  ['auth login', 'login'],
  ['auth logout', 'logout'],
  ['auth status', 'status'],
  ['auth token', 'get'],
  ['auth', 'login'],
  ['token', 'get'],
  ['refresh', 'get --fresh'],
  ['export', 'env'],
  ['run', 'exec'],
  ['init', 'login'],
  ['configure', 'login'],
  ['whoami', 'status'],
  ['list', 'status'],
  ['ls', 'status'],
  ['set', 'config set'],
  ['unset', 'config unset'],
  ['--output', '--format'],
  ['-o', '--format'],
  ['--debug', '--verbose'],
  ['--url', '--auth-url'],
]);

/** Returns the error for commander's, by its code alone. `takes` tells if a suggested line would be taken. */
export function usageError({ code }: CommanderError, parser: Parser, takes: Takes): GwtokenError {
  const flag = code === 'commander.unknownOption' ? unknownFlag(parser) : '';
  const isSecret = /secret|password|^--(access-)?token(=|$)/i.test(flag);
  const hints = isSecret
    ? ['secrets are never passed as flags: gwtoken login prompts for it, or use --secret-stdin']
    : hintsOf(code, flag, parser, takes);
  return usage(messageOf(code, flag, parser), ...hints, `for help, run: ${fullName(parser)} --help`);
}

/** Says what is wrong. An unknown flag's value or an extra argument may be a secret and is not repeated. */
function messageOf(code: string, flag: string, parser: Parser): string {
  const name = fullName(parser);
  const required = parser.registeredArguments.filter((argument) => argument.required).map(nameInHelp);
  const line = [name, ...required].join(' ');
  switch (code) {
    case 'commander.unknownOption': {
      if (isCommandMissing(flag, parser)) return 'missing COMMAND: gwtoken COMMAND [options]';
      const bare = /^(--[^=]*|-.)/s.exec(flag)?.[0] ?? flag;
      const isSwitch = parser.options.some(({ long, short }) => long === bare || short === bare);
      return flag !== bare && isSwitch ? `${bare} takes no value` : `unknown option ${quoted(bare)}`;
    }
    case 'commander.unknownCommand':
      return `unknown command ${quoted(parser.args[0] ?? '')}`;
    case 'commander.missingArgument': {
      const example = name === 'gwtoken exec' ? line.replace(name, `${name} --`) : line;
      return `missing ${required[parser.args.length]}: ${example}`;
    }
    case 'commander.optionMissingArgument':
      return `${lastFlag(parser)} needs a value`;
    case 'commander.excessArguments':
      return required.length === 0 ? `${name} takes no arguments` : `too many arguments: ${line}`;
    default:
      return `${name} does not take these arguments`;
  }
}

function nameInHelp(argument: Argument): string {
  return argument.name().toUpperCase();
}

function hintsOf(code: string, flag: string, parser: Parser, takes: Takes): Words {
  // A password in a URL is not repeated.
  const lines = linesMeant(flag, parser, takes).filter((line) => !line.some((word) => word.includes('@')));
  if (lines.length > 0) return lines.map((line) => `did you mean: gwtoken ${shown(line)}`);
  if (code === 'commander.excessArguments' && parser.registeredArguments.length > 0)
    return ['quote values that contain spaces'];
  return [];
}

function shown(line: Words): string {
  return line.map((word) => (word.endsWith(LEFT_OUT) ? word : shellWord(word))).join(' ');
}

/** Returns the lines that may have been meant: the wrong flag or command replaced by a known one. */
function linesMeant(flag: string, parser: Parser, takes: Takes): Words[] {
  const argv = argvOf(parser);
  if (isCommandMissing(flag, parser)) return takes(['get', ...argv]) ? [['get', ...onlyKnown(argv)]] : [];
  const [region = ''] = parser.args;
  if (flag === '' && isRegion(region.toLowerCase())) {
    const line = argv.flatMap((word) => (word === region ? ['--region', word.toLowerCase()] : word));
    return takes(line) ? [onlyKnown(line)] : [];
  }
  const wrong = flag === '' ? (parser.args[0] ?? '') : flag.replace(/=.*/s, '');
  const at = argv.findIndex((word) => word === wrong || word.startsWith(`${wrong}=`));
  const [word = '', next = ''] = argv.slice(at);
  const pair = OTHER_TOOLS.get(`${word} ${next}`);
  const replaced = (known: string, words = argv): Words => [
    ...words.slice(0, at),
    ...(known.startsWith('-') ? [known + (words[at] ?? '').slice(wrong.length)] : known.split(' ')),
    ...words.slice(at + (pair ? 2 : 1)),
  ];
  const safe = onlyKnown(argv);
  const known = pair ?? OTHER_TOOLS.get(wrong);
  // If the whole line would not be taken, the known words alone are suggested.
  if (known) return takes(replaced(known)) ? [replaced(known, safe)] : [known.split(' ')].filter(takes);
  const names = flag.startsWith('--')
    ? parser.options.flatMap(({ long }) => long ?? [])
    : parser.commands.map((each) => each.name());
  // Few letters that differ are not enough, as `--shell` and `--help` show: the first one must agree.
  return similarWords(wrong, names)
    .filter((each) => initial(each) === initial(wrong))
    .filter((name) => takes(replaced(name)))
    .map((name) => replaced(name, safe));
}

/** Tells that a line has a flag of some command but no command: `gwtoken --region eu`. */
function isCommandMissing(flag: string, parser: Parser): boolean {
  return !parser.parent && isFlag(flag);
}

function initial(word: string): string | undefined {
  return /\w/.exec(word)?.[0];
}

/** Returns the first unknown option, with its `=VALUE`: commander takes the known ones out of the args. */
function unknownFlag({ args }: Parser): string {
  return args.find((word) => /^-./s.test(word)) ?? '';
}

/** Returns the flag that the line ends with, in its long form; `-r` may stand in a group, as in `-vr`. */
function lastFlag(parser: Parser): string {
  const last = argvOf(parser).at(-1) ?? '';
  const name = last.startsWith('--') ? last : `-${last.slice(-1)}`;
  return parser.options.find(({ short, long }) => short === name || long === name)?.long ?? name;
}

/** Returns all words of the command line, which commander stores at the top, outside of its types. */
function argvOf(parser: Parser & { readonly rawArgs?: Words }): Words {
  return parser.parent ? argvOf(parser.parent) : (parser.rawArgs ?? []);
}

function fullName(parser: Parser): string {
  return parser.parent ? `${fullName(parser.parent)} ${parser.name()}` : parser.name();
}
