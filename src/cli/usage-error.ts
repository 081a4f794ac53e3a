import type { CommanderError, Command as Parser } from 'commander';
import { type GwtokenError, usage } from '../errors';
import { quoted, shellWord } from '../text';
import { commandFor, flagFor, isFlag, isSwitch, mend } from './suggest';

/**
 * commander's error as one of ours, with the line that was meant, if there is one.
 *
 * @param parses whether a line is one that gwtoken takes
 */
export function usageError(
  error: CommanderError,
  parser: Parser,
  parses: (argv: readonly string[]) => boolean,
): GwtokenError {
  const message = messageOf(error, parser);
  const secret = /secret|password|^--(access-)?token(=|$)/i.test(unknownFlag(error) ?? '');
  const hints = secret
    ? ['secrets are never passed as flags: gwtoken login prompts for it, or use --secret-stdin']
    : meant(error, parser, parses);
  return usage(message, ...hints, `for help, run: ${fullName(parser)} --help`);
}

/** The value of an unknown flag, or an argument too many, may be a secret: neither is repeated. */
function messageOf(error: CommanderError, parser: Parser): string {
  const name = fullName(parser);
  const takes = parser.registeredArguments
    .map((argument) => (argument.required ? ` ${argument.name().toUpperCase()}` : ''))
    .join('');
  switch (error.code) {
    case 'commander.help': {
      const children = parser.commands.map((child) => child.name());
      return `missing subcommand: ${children.slice(0, -1).join(', ')} or ${children.at(-1)}`;
    }
    case 'commander.unknownOption': {
      const word = unknownFlag(error) ?? '';
      const flag = /^(--[^=]*|-.)/s.exec(word)?.[0] ?? word;
      if (word !== flag && isSwitch(flag)) return `${flag} takes no value`;
      return !parser.parent && isFlag(flag)
        ? `${flag} must come after the command`
        : `unknown option ${quoted(flag)}`;
    }
    case 'commander.unknownCommand':
      return `unknown command ${quoted(parser.args[0] ?? '')}`;
    case 'commander.missingArgument': {
      const [, argument = ''] = /'(.*)'/s.exec(error.message) ?? [];
      const before = name === 'gwtoken exec' ? ' --' : '';
      return `missing ${argument.toUpperCase()}: ${name}${before}${takes}`;
    }
    case 'commander.optionMissingArgument':
      return `${/--[\w-]+/.exec(error.message)?.[0]} needs a value`;
    case 'commander.excessArguments':
      return takes === '' ? `${name} takes no arguments` : `too many arguments: ${name}${takes}`;
    default:
      return error.message;
  }
}

/** The hints that name the line that was meant, or at least a word of it. */
function meant(
  error: CommanderError,
  parser: Parser,
  parses: (argv: readonly string[]) => boolean,
): readonly string[] {
  const typed = unknownFlag(error)?.replace(/=.*/s, '') ?? parser.args[0] ?? '';
  const similar = /\n\(Did you mean (?:one of )?(.*)\?\)$/.exec(error.message)?.[1]?.split(', ') ?? [];
  // commander goes by the number of letters that differ: `--shell` is not meant for `--help`.
  const close = similar.filter((word) => initial(word) === initial(typed));
  const [only] = close;
  const typo = close.length === 1 && only !== undefined ? ([typed, only] as const) : undefined;
  const line = mend(argvOf(parser), typo, parses);
  if (line) return [`did you mean: ${['gwtoken', ...line.map(shellWord)].join(' ')}`];
  const other = commandFor(`${parser.name()} ${typed}`) ?? commandFor(typed);
  if (other !== undefined) return [`did you mean: gwtoken ${other} …`];
  if (flagFor(typed) !== undefined) close.push(flagFor(typed)!);
  if (close.length > 0) return [`did you mean ${close.join(' or ')}?`];
  if (error.code === 'commander.excessArguments' && parser.registeredArguments.length > 0)
    return ['quote values that contain spaces'];
  return [];
}

function initial(word: string): string | undefined {
  return /\w/.exec(word)?.[0];
}

/** The option that is not known, with what stands behind its `=`. */
function unknownFlag({ code, message }: CommanderError): string | undefined {
  return code === 'commander.unknownOption' ? /'(.*?)'(?:\n|$)/s.exec(message)?.[1] : undefined;
}

/** All words of the command line; commander keeps them at the top, where its types do not tell of them. */
function argvOf(parser: Parser & { readonly rawArgs?: readonly string[] }): readonly string[] {
  return parser.parent ? argvOf(parser.parent) : (parser.rawArgs ?? []);
}

function fullName(parser: Parser): string {
  return parser.parent ? `${fullName(parser.parent)} ${parser.name()}` : parser.name();
}
