/** Reads the command line with commander, which also words what is wrong with it. */
import { CommanderError, Option, Command as Parser } from 'commander';
import { COMMON_FLAGS, type Flag, longName, takesValue } from '../commands/flags';
import { COMMANDS, type Command } from '../commands/grammar';
import { GwtokenError, usage } from '../errors';
import type { FlagValues } from '../settings/table';
import { shortened } from '../text';
import { hintFor, resemblesEnv } from './slips';

/** Flags that ask for a text. */
const ASKED = ['version', 'help'] as const;

/** A command line, as far as commander could read it. */
export interface Line {
  /** The command and, if it has any, the subcommand. */
  readonly path: readonly Command[];
  /** The flags before and after the command. Of a repeated flag, the last one counts. */
  readonly flags: FlagValues;
  /** Arguments, or the words of the program that the command starts. */
  readonly args: readonly string[];
  /** Text that is asked for instead of running the command. */
  readonly asked: (typeof ASKED)[number] | undefined;
  /** True if the line ends, without a flag, before a command or subcommand. */
  readonly isBare: boolean;
  /** The error if no command can run. */
  readonly problem: GwtokenError | undefined;
  /** True for `env`, for a word that resembles it, and for a line that broke before any command. */
  readonly mayBeEvaluated: boolean;
}

/** Flags that may stand before a command. */
const ALL_FLAGS = [
  ...new Map(COMMANDS.flatMap(({ flags }) => flags).map((flag) => [longName(flag), flag])).values(),
];
/** Flags of other tools for a secret. */
const SECRET_FLAGS = ['client-secret', 'secret', 'password', 'token', 'access-token'];
/** commander passes words on as arguments of a function, which takes about 100,000. */
const MOST_WORDS = 10_000;

/** Reads the words after `gwtoken`. What is wrong with them is the line's `problem`. */
export function readLine(argv: readonly string[]): Line {
  const head = argv.slice(0, MOST_WORDS);
  const { path, parsers, error } = parse(head);
  const command = path.at(-1);
  if (command?.passThrough === 'flags' && !error) {
    const at = curlsFlagsIn(head, parsers);
    if (at !== undefined) return readLine(argv.toSpliced(at, 0, '--'));
  }
  const { args } = parsers.at(-1)!;
  const code = error instanceof CommanderError ? error.code : undefined;
  const isUnknownCommand = code === 'commander.unknownCommand';
  // If a line breaks before its command, `--help` and `--version` may be another program's words.
  const isBroken = isUnknownCommand || (!command && code !== 'commander.help');
  const flags = Object.fromEntries(parsers.flatMap(givenFlags));
  // After a wrong option, the command is probably the first word that names one.
  const named = args.map((word) => COMMANDS.find(({ name }) => name === word)).find(Boolean);
  const likelyPath = command || isUnknownCommand || !named ? path : [named];
  return {
    path: likelyPath,
    flags,
    args: command?.passThrough ? argv.slice(head.length - args.length) : args,
    asked: isBroken ? undefined : ASKED.find((name) => flags[name]),
    isBare: code === 'commander.help' && Object.keys(flags).length === 0,
    problem: error && problemOf(error, likelyPath, args),
    mayBeEvaluated: path[0] ? path[0].evaluated === true : !isUnknownCommand || args.some(resemblesEnv),
  };
}

/**
 * Returns where the first word such as `-vk` or `-vvv` stands behind `curl`. curl reads such words by itself,
 * but commander has cut them, because they begin with a flag of gwtoken's.
 */
function curlsFlagsIn(argv: readonly string[], parsers: readonly Parser[]): number | undefined {
  const [program, curl] = [parsers[0]!, parsers.at(-1)!];
  const start = argv.length - program.args.length + 1;
  const end = argv.length - curl.args.length;
  const isCut = curl.args[0] !== argv[end];
  const switches = curl.options.flatMap(({ short, required }) => (short && !required ? [short] : []));
  const at = argv
    .slice(start, isCut ? end + 1 : end)
    .findIndex((word) => word.length > 2 && switches.some((each) => word.startsWith(each)));
  return at < 0 ? undefined : start + at;
}

/** Parses the words. Returns the program's parser and those of the commands that commander reached. */
function parse(argv: readonly string[]) {
  const path: Command[] = [];
  const parsers: Parser[] = [];
  /** Prepares a parser once commander reaches it, because preparing all takes time at each start. */
  const reach = (
    parser: Parser,
    command: Pick<Command, 'flags' | 'args' | 'subcommands' | 'passThrough'>,
  ) => {
    const { flags, args = '', subcommands, passThrough } = command;
    parsers.push(parser.helpCommand(false));
    for (const flag of [...flags, ...COMMON_FLAGS]) addFlag(parser, flag);
    for (const [arg] of args.matchAll(/<[^>]+>|\[[^\]]+\]/g)) parser.argument(arg);
    if (passThrough) parser.passThroughOptions().allowExcessArguments();
    if (passThrough === 'flags') parser.allowUnknownOption();
    if (!subcommands) parser.action(() => rejectForeignFlags(parsers));
    for (const { name } of subcommands ?? []) parser.command(name);
    parser.hook('preSubcommand', (_, subparser) => {
      const next = subcommands!.find(({ name }) => name === subparser.name())!;
      path.push(next);
      reach(subparser, next.subcommands ? { ...next, flags: ALL_FLAGS } : next);
    });
  };
  const program = new Parser('gwtoken').exitOverride().enablePositionalOptions().helpOption(false);
  // commander would lay out the program's help for a line without a command, and read `process.stderr`.
  program.configureHelp({ formatHelp: () => '' });
  program.configureOutput({ writeErr() {}, getErrHelpWidth: () => 80, getErrHasColors: () => false });
  reach(program, { flags: ALL_FLAGS, subcommands: COMMANDS });
  try {
    program.parse(argv, { from: 'user' });
    return { path, parsers, error: undefined };
  } catch (error) {
    if (error instanceof CommanderError || error instanceof GwtokenError) return { path, parsers, error };
    throw error;
  }
}

function addFlag(parser: Parser, { spec, help }: Flag): void {
  const option = new Option(spec, help);
  const missing = `error: option '${spec}' argument missing`;
  const check = (value: string) =>
    value === '--' ? parser.error(missing, { code: 'commander.optionMissingArgument' }) : value;
  parser.addOption(takesValue(spec) ? option.argParser(check) : option);
  if (option.long !== '--secret-stdin') return;
  for (const name of SECRET_FLAGS)
    parser.addOption(new Option(`--${name} [VALUE]`).hideHelp()).on(`option:${name}`, () => {
      throw usage(`unknown option '--${name}'`, ['no flag takes a secret: use the prompt or --secret-stdin']);
    });
}

/** Throws if a flag stands before a command that does not take it. */
function rejectForeignFlags(parsers: readonly Parser[]): void {
  const command = parsers.at(-1)!;
  const foreign = parsers
    .flatMap(givenOptions)
    .find(({ long }) => !command.options.some((own) => own.long === long));
  if (foreign) command.error(`error: unknown option '${foreign.long}'`, { code: 'commander.unknownOption' });
}

function givenOptions(parser: Parser): Option[] {
  return parser.options.filter((each) => parser.getOptionValueSource(each.attributeName()) === 'cli');
}

function givenFlags(parser: Parser): (readonly [name: string, value: unknown])[] {
  return givenOptions(parser).map((each) => [
    each.name().replace(/^no-/, ''),
    parser.getOptionValue(each.attributeName()),
  ]);
}

/** Returns the error with commander's sentence, but without what may be a value, and with its hints. */
function problemOf(
  error: CommanderError | GwtokenError,
  path: readonly Command[],
  args: readonly string[],
): GwtokenError {
  const names = path.map(({ name }) => name);
  const lastStep = `for help, run: ${['gwtoken', ...names].join(' ')} --help`;
  if (error instanceof GwtokenError) return error.about({ lastStep });
  if (error.code === 'commander.help') return usage('no command given').about({ lastStep });
  const [, sentence = '', suggestion] =
    /^error: (.*?)(?:\n(\(Did you mean .*\)))?$/s.exec(error.message) ?? [];
  const shown = sentence.replace(/(?<=^unknown \w+ ').*(?='$)/s, withoutValue);
  const hint = hintFor(names, args) ?? suggestion;
  return usage(shown, hint === undefined ? [] : [hint]).about({ lastStep });
}

/** Returns an unknown word without what may be a value: `--secret=…` for `--secret=x`, and `-s` for `-sx`. */
function withoutValue(word: string): string {
  const name = /^-[^-]/.test(word) ? word.slice(0, 2) : word.replace(/=.*/s, '=…');
  return shortened(name);
}
