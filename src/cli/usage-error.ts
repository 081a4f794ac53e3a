import type { CommanderError, Command as Parser } from 'commander';
import { GwtokenError } from '../errors';

/** commander's message, `error: unknown option '--regoin'\n(Did you mean --region?)`, as one of ours. */
export function usageError(error: CommanderError, parser: Parser): GwtokenError {
  const name = fullName(parser);
  const help = `run: ${name} --help`;
  // Its own second line, "(Did you mean get?)": an argument may have line ends in it too.
  const [, message = '', meant] =
    /^(?:error: )?(.*?)(?:\n\((Did you mean [^\n]*)\))?$/s.exec(error.message) ?? [];
  const hints = [...(meant === undefined ? [] : [meant]), help];
  const usage = (text: string, ...first: string[]): GwtokenError =>
    new GwtokenError('usage', text, { hints: [...first, ...hints] });

  if (error.code === 'commander.help') {
    const children = parser.commands.map((child) => child.name());
    return usage(`${name} needs one of: ${children.join(', ')}`);
  }
  // The value of an unknown flag, or an argument too many, may be a secret: neither is repeated.
  if (error.code === 'commander.unknownOption') {
    const flag = /'(--[^=']*|-.)/.exec(message)?.[1] ?? 'flag';
    const secret = /secret|password|token/i.test(flag);
    return usage(
      `unknown option '${flag}'`,
      ...(secret
        ? ['secrets are never passed as flags: gwtoken login prompts for it, or use --secret-stdin']
        : []),
    );
  }
  if (error.code === 'commander.excessArguments') {
    const takes = parser.registeredArguments.map((argument) => `<${argument.name()}>`).join(' ');
    return takes === ''
      ? usage(`${name} takes no arguments`)
      : usage(`too many arguments for ${name} ${takes}`, 'quote values that contain spaces');
  }
  return usage(message);
}

function fullName(parser: Parser): string {
  return parser.parent ? `${fullName(parser.parent)} ${parser.name()}` : parser.name();
}
