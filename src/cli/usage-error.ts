import type { CommanderError, Command as Parser } from 'commander';
import { type GwtokenError, usage } from '../errors';
import { quoted } from '../text';
import { isFlag } from './spelling';
import { suggestions, typedLine } from './suggest';

/** commander's error as one of ours, with the line that was meant if gwtoken `takes` one. */
export function usageError(
  error: CommanderError,
  parser: Parser,
  takes: (argv: readonly string[]) => boolean,
): GwtokenError {
  const message = messageOf(error, parser);
  const secret = /secret|password|^--(access-)?token(=|$)/i.test(unknownFlag(error) ?? '');
  const hints = secret
    ? ['secrets are never passed as flags: gwtoken login prompts for it, or use --secret-stdin']
    : meant(error, parser, takes);
  return usage(message, ...hints, `for help, run: ${fullName(parser)} --help`);
}

/** The value of an unknown flag, or an argument too many, may be a secret: neither is repeated. */
function messageOf(error: CommanderError, parser: Parser): string {
  const name = fullName(parser);
  const takes = parser.registeredArguments
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

/** The hints that name the line that was meant. */
function meant(
  error: CommanderError,
  parser: Parser,
  takes: (argv: readonly string[]) => boolean,
): readonly string[] {
  const typed = unknownFlag(error)?.replace(/=.*/s, '') ?? parser.args[0] ?? '';
  const wrong = isCommandMissing(error, parser) ? '' : typed;
  const similar = /\n\(Did you mean (?:one of )?(.*)\?\)$/.exec(error.message)?.[1]?.split(', ') ?? [];
  // commander goes by the number of letters that differ: `--shell` is not meant for `--help`.
  const close = similar.filter((word) => initial(word) === initial(typed));
  if (fullName(parser) === 'gwtoken curl' && error.code === 'commander.unknownOption')
    return ["put curl's own options after the URL, or after --"];
  const lines = suggestions(argvOf(parser), wrong, close, takes).flatMap((line) => typedLine(line) ?? []);
  if (lines.length > 0) return lines.map((line) => `did you mean: ${line}`);
  if (error.code === 'commander.excessArguments' && parser.registeredArguments.length > 0)
    return ['quote values that contain spaces'];
  return [];
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

/** All words of the command line; commander keeps them at the top, where its types do not tell of them. */
function argvOf(parser: Parser & { readonly rawArgs?: readonly string[] }): readonly string[] {
  return parser.parent ? argvOf(parser.parent) : (parser.rawArgs ?? []);
}

function fullName(parser: Parser): string {
  return parser.parent ? `${fullName(parser.parent)} ${parser.name()}` : parser.name();
}
