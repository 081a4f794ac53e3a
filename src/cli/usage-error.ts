/** Turns commander's errors into usage errors: its message, and hints on what to type. */
import type { CommanderError, Command as Parser } from 'commander';
import { type GwtokenError, usage } from '../errors';
import { quoted } from '../text';

/** Commands of gh, aws, gcloud, docker and others, with gwtoken's own for each. */
const OTHER_TOOLS: ReadonlyMap<string, string> = new Map([
  ['whoami', 'status'],
  ['show', 'status'],
  ['list', 'status'],
  ['token', 'get'],
  ['auth', 'login'],
  ['run', 'exec'],
  ['api', 'curl'],
  ['http', 'curl'],
  ['version', '--version'],
]);

/** Flags of curl, direnv and others, with gwtoken's own for each. */
const OTHER_FLAGS: ReadonlyMap<string, string> = new Map([
  ['--cacert', '--ca-file'],
  ['--environment', '--sandbox'],
  ['--shell', '--format'],
]);

/** Flags by which gh, aws, kubectl and docker print JSON. */
const JSON_FLAGS = ['-o', '-f', '--output', '--format', '--json'];

/**
 * Returns the usage error for one of commander's. Omits an option's value, which may be a secret. commander's
 * error has no fields beside its code, so names, counts and suggestions are those in its message.
 */
export function usageError({ code, message }: CommanderError, parser: Parser): GwtokenError {
  const error = (problem: string, hint?: string): GwtokenError =>
    usage(problem, ...(hint === undefined ? [] : [hint]), `for help, run: ${fullName(parser)} --help`);
  const [first = ''] = parser.args;
  switch (code) {
    case 'commander.unknownCommand': {
      const name = withoutValue(first);
      const hint = meantByCommand(name.toLowerCase(), parser) ?? suggestionIn(message);
      return error(`unknown command ${quoted(name)}`, hint);
    }
    case 'commander.unknownOption': {
      const name = withoutValue(unknownOption(parser));
      const isKnown = name === '--help' || parser.options.some(({ long }) => long === name);
      if (isKnown) return error(`${name} takes no value`);
      return error(`unknown option ${quoted(name)}`, meantByOption(name, parser) ?? suggestionIn(message));
    }
    case 'commander.excessArguments':
      return error(sentenceOf(message), meantByArgument(withoutValue(first).toLowerCase(), parser));
    case 'commander.missingArgument': {
      const hint = first.includes('=') ? 'put a space between KEY and VALUE' : undefined;
      return error(sentenceOf(message), hint);
    }
    default:
      return error(sentenceOf(message));
  }
}

/** Returns commander's message as a sentence with gwtoken's quotes. */
function sentenceOf(message: string): string {
  return message.replace(/^error: /, '').replaceAll("'", '"');
}

/** Returns the suggestion at the end of commander's message as a hint; undefined if there is none. */
function suggestionIn(message: string): string | undefined {
  const [, similar] = /\n\(Did you mean (?:one of )?(.*)\?\)$/.exec(message) ?? [];
  return similar && `did you mean: ${similar}`;
}

/** Returns the first word that commander took for an option and does not know. */
function unknownOption({ args }: Parser): string {
  return args.find((word) => /^-./s.test(word)) ?? '';
}

/** Returns `--name` of `--name=VALUE`, `-n` of `-nVALUE`, and `NAME` of `NAME=VALUE`. */
function withoutValue(word: string): string {
  return /^-[^-]/.test(word) ? word.slice(0, 2) : word.replace(/=.*/s, '');
}

/** Returns a hint at the intended command. In `auth status`, the second word counts more than the first. */
function meantByCommand(word: string, { parent, args, commands }: Parser): string | undefined {
  if (parent || !OTHER_TOOLS.has(word)) return undefined;
  const second = args[1]?.toLowerCase() ?? '';
  const isCommand = commands.some((each) => each.name() === second);
  return `did you mean: gwtoken ${isCommand ? second : (OTHER_TOOLS.get(second) ?? OTHER_TOOLS.get(word))}`;
}

/** Returns a hint if a value stands without its flag, or a flag without its hyphens. */
function meantByArgument(word: string, { options }: Parser): string | undefined {
  const option = options.find(({ long, argChoices }) => long === `--${word}` || argChoices?.includes(word));
  return option && `did you mean: ${option.long}${option.argChoices?.includes(word) ? ` ${word}` : ''}`;
}

/** A test that is true for the long names of a command's flags. */
type HasFlag = (flag: string) => boolean;

/** Returns a hint at the intended flag, or at another way to give what the flag would give. */
function meantByOption(name: string, { parent, options, args }: Parser): string | undefined {
  if (!parent && name === '-v') return 'did you mean: gwtoken --version';
  if (!parent) return 'put options after the command: gwtoken COMMAND [options]';
  const has: HasFlag = (flag) => options.some(({ long }) => long === flag);
  const other = OTHER_FLAGS.get(name);
  if (other !== undefined && has(other)) return `did you mean: ${other}`;
  return hintForSecret(name, has) ?? hintForOutput(name, args[args.indexOf(name) + 1], has);
}

function hintForSecret(name: string, has: HasFlag): string | undefined {
  const mayReadStdin = has('--secret-stdin');
  if (!(mayReadStdin ? /secret|password|token/i : /secret|password/i).test(name)) return undefined;
  const instead = mayReadStdin ? ', or use --secret-stdin' : '';
  return `secrets are never passed as flags: gwtoken login prompts for it${instead}`;
}

/** Returns the hint for a flag by which other tools choose JSON, or for `-o FILE`. */
function hintForOutput(name: string, value: string | undefined, has: HasFlag): string | undefined {
  if (name === '-o' && (value ?? 'json') !== 'json' && has('--output')) return 'did you mean: --output';
  if (!JSON_FLAGS.includes(name)) return undefined;
  if (has('--json')) return 'for JSON, use --json';
  return has('--format') ? 'for JSON, use --format json' : undefined;
}

function fullName(parser: Parser): string {
  return parser.parent ? `${fullName(parser.parent)} ${parser.name()}` : parser.name();
}
