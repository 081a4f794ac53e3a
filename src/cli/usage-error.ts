/** The error for a command line that gwtoken does not take: commander's words, and what to type next. */
import type { CommanderError, Command as Parser } from 'commander';
import { type GwtokenError, usage } from '../errors';
import { quoted } from '../text';

/** Words of gh, aws, gcloud, docker and others, with gwtoken's own for each. */
const OTHER_TOOLS: ReadonlyMap<string, string> = new Map([
  ['whoami', 'status'],
  ['show', 'status'],
  ['token', 'get'],
  ['auth', 'login'],
  ['configure', 'login'],
  ['export', 'env'],
  ['run', 'exec'],
  ['http', 'curl'],
  ['version', '--version'],
]);

/** Returns the error for commander's. Of an option only its name is in it: its value may be a secret. */
export function usageError({ code, message }: CommanderError, parser: Parser): GwtokenError {
  const [said = '', suggestion = ''] = message.replace(/^error: /, '').split(/\n(?=\(Did you mean )/);
  const typed = code === 'commander.unknownOption' ? unknownOption(parser) : (parser.args[0] ?? '');
  const word = withoutValue(typed);
  const [, similar] = /mean (?:one of )?(.*)\?\)$/.exec(suggestion) ?? [];
  const hint = meantBy(code, word, parser) ?? (similar && `did you mean: ${similar}`);
  return usage(
    said.startsWith('unknown ') ? said.replace(/'.*/s, () => quoted(word)) : said.replaceAll("'", '"'),
    ...(hint === undefined ? [] : [hint]),
    `for help, run: ${fullName(parser)} --help`,
  );
}

/** Returns the first word that commander took for an option and does not know. */
function unknownOption({ args }: Parser): string {
  return args.find((word) => /^-./s.test(word)) ?? '';
}

/** Returns `--name` of `--name=VALUE`, `-n` of `-nVALUE`, and `NAME` of `NAME=VALUE`. */
function withoutValue(word: string): string {
  return /^-[^-]/s.test(word) ? word.slice(0, 2) : word.replace(/=.*/s, '');
}

/** Returns the hint that gwtoken has before commander's. */
function meantBy(code: string, word: string, parser: Parser): string | undefined {
  switch (code) {
    case 'commander.unknownCommand':
      return meantByCommand(word.toLowerCase(), parser);
    case 'commander.unknownOption':
      return meantByOption(word, parser);
    case 'commander.excessArguments':
      return meantByArgument(word.toLowerCase(), parser);
    default:
      return undefined;
  }
}

function meantByCommand(word: string, { parent }: Parser): string | undefined {
  const own = parent ? undefined : OTHER_TOOLS.get(word);
  return own && `did you mean: gwtoken ${own}`;
}

/** Returns the flag that is forgotten before its value, or that is written without hyphens. */
function meantByArgument(word: string, { options }: Parser): string | undefined {
  const option = options.find(({ long, argChoices }) => long === `--${word}` || argChoices?.includes(word));
  return option && `did you mean: ${option.long}${option.argChoices?.includes(word) ? ` ${word}` : ''}`;
}

function meantByOption(name: string, { parent, options }: Parser): string | undefined {
  if (/secret|password|^--(access-)?token$/i.test(name))
    return 'secrets are never passed as flags: gwtoken login prompts for it, or use --secret-stdin';
  if (!parent && name === '-v') return 'did you mean: gwtoken --version';
  if (!parent) return 'put options after the command: gwtoken COMMAND [options]';
  return options.some(({ long }) => long === name) ? `${name} takes no value` : undefined;
}

function fullName(parser: Parser): string {
  return parser.parent ? `${fullName(parser.parent)} ${parser.name()}` : parser.name();
}
