/** A command line that gwtoken does not take: what is wrong with it, and the line that was meant. */
import type { CommanderError, Command as Parser } from 'commander';
import { type GwtokenError, usage } from '../errors';
import { quoted, shellWord } from '../text';
import { isFlag } from './spelling';

type Words = readonly string[];
type Takes = (argv: Words) => boolean;

/** Words of gh, aws, gcloud, docker, npm and their like, and what each is here. */
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

/** Returns commander's error as one of ours, with the lines that were meant if gwtoken `takes` them. */
export function usageError(error: CommanderError, parser: Parser, takes: Takes): GwtokenError {
  const secret = /secret|password|^--(access-)?token(=|$)/i.test(unknownFlag(error) ?? '');
  const hints = secret
    ? ['secrets are never passed as flags: gwtoken login prompts for it, or use --secret-stdin']
    : hintsOf(error, parser, takes);
  return usage(messageOf(error, parser), ...hints, `for help, run: ${fullName(parser)} --help`);
}

/** The value of an unknown flag, or an argument too many, may be a secret: neither is repeated. */
function messageOf(error: CommanderError, parser: Parser): string {
  const name = fullName(parser);
  const required = parser.registeredArguments
    .map((argument) => (argument.required ? ` ${argument.name().toUpperCase()}` : ''))
    .join('');
  switch (error.code) {
    case 'commander.unknownOption': {
      if (isCommandMissing(error, parser)) return 'missing COMMAND: gwtoken COMMAND [options]';
      const word = unknownFlag(error) ?? '';
      const flag = /^(--[^=]*|-.)/s.exec(word)?.[0] ?? word;
      return word !== flag && isFlag(flag) ? `${flag} takes no value` : `unknown option ${quoted(flag)}`;
    }
    case 'commander.unknownCommand':
      return `unknown command ${quoted(parser.args[0] ?? '')}`;
    case 'commander.missingArgument': {
      const [, argument = ''] = /'(.*)'/s.exec(error.message) ?? [];
      const before = name === 'gwtoken exec' ? ' --' : '';
      return `missing ${argument.toUpperCase()}: ${name}${before}${required}`;
    }
    case 'commander.optionMissingArgument':
      return `${/--[\w-]+/.exec(error.message)?.[0]} needs a value`;
    case 'commander.excessArguments':
      return required === '' ? `${name} takes no arguments` : `too many arguments: ${name}${required}`;
    default:
      return error.message;
  }
}

function hintsOf(error: CommanderError, parser: Parser, takes: Takes): Words {
  if (fullName(parser) === 'gwtoken curl' && error.code === 'commander.unknownOption')
    return ["put curl's own options after the URL, or after --"];
  // A password in a URL is not repeated.
  const lines = linesMeant(error, parser, takes).filter((line) => !line.some((word) => word.includes('@')));
  if (lines.length > 0) return lines.map((line) => `did you mean: gwtoken ${line.map(shellWord).join(' ')}`);
  if (error.code === 'commander.excessArguments' && parser.registeredArguments.length > 0)
    return ['quote values that contain spaces'];
  return [];
}

/** The lines that may have been meant: the wrong word replaced by a known one. */
function linesMeant(error: CommanderError, parser: Parser, takes: Takes): Words[] {
  const argv = argvOf(parser);
  if (isCommandMissing(error, parser)) return [['get', ...argv]].filter(takes);
  const wrong = unknownFlag(error)?.replace(/=.*/s, '') ?? parser.args[0] ?? '';
  const at = argv.findIndex((word) => word === wrong || word.startsWith(`${wrong}=`));
  const [word = '', next = ''] = argv.slice(at);
  const pair = OTHER_TOOLS.get(`${word} ${next}`);
  const replaced = (known: string): Words => [
    ...argv.slice(0, at),
    ...(known.startsWith('-') ? [known + word.slice(wrong.length)] : known.split(' ')),
    ...argv.slice(at + (pair ? 2 : 1)),
  ];
  const known = pair ?? OTHER_TOOLS.get(wrong);
  // Without what stands behind it, if that is no argument here.
  if (known) return [replaced(known), known.split(' ')].filter(takes).slice(0, 1);
  // commander goes by the number of letters that differ: `--shell` is not meant for `--help`.
  const similar = /\n\(Did you mean (?:one of )?(.*)\?\)$/.exec(error.message)?.[1]?.split(', ') ?? [];
  return similar
    .filter((each) => initial(each) === initial(wrong))
    .map(replaced)
    .filter(takes);
}

/** `gwtoken --region eu`: the flag is a command's, and there is none. */
function isCommandMissing(error: CommanderError, parser: Parser): boolean {
  return !parser.parent && isFlag(unknownFlag(error) ?? '');
}

function initial(word: string): string | undefined {
  return /\w/.exec(word)?.[0];
}

/** The option that is not known, with what stands behind its `=`. */
function unknownFlag({ code, message }: CommanderError): string | undefined {
  return code === 'commander.unknownOption' ? /'(.*?)'(?:\n|$)/s.exec(message)?.[1] : undefined;
}

/** All words of the command line, which commander keeps at the top, outside of its types. */
function argvOf(parser: Parser & { readonly rawArgs?: Words }): Words {
  return parser.parent ? argvOf(parser.parent) : (parser.rawArgs ?? []);
}

function fullName(parser: Parser): string {
  return parser.parent ? `${fullName(parser.parent)} ${parser.name()}` : parser.name();
}
