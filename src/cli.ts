/** run(argv, world) -> exit code: the commander program, built from the options table, and the one error boundary. */
import { Command, CommanderError, Option } from 'commander';
import { configCommand } from './commands/config';
import { envCommand } from './commands/env';
import { execCommand } from './commands/exec';
import { getCommand } from './commands/get';
import { TOPICS, topicText } from './commands/help';
import { loginCommand } from './commands/login';
import { logoutCommand } from './commands/logout';
import type { Verb } from './commands/verb';
import { ENDING_SIGNALS, GwtokenError, Interrupted, ReaderGone } from './errors';
import type { Flag, FlagValues } from './options';
import type { World } from './world';

const VERBS: readonly Verb[] = [
  getCommand,
  envCommand,
  execCommand,
  loginCommand,
  logoutCommand,
  configCommand,
];

const GROUPS = {
  client: 'Which client:',
  fetch: 'How the token is fetched:',
  output: 'Output:',
  general: 'General:',
};

/** Runs one command line. Rejects only with Interrupted and ReaderGone, which are not answered with words. */
export async function run(argv: readonly string[], world: World): Promise<number> {
  const program = new Command('gwtoken');
  program
    .description('Fetch OAuth 2.0 client-credentials tokens for the API gateway and its sandbox.')
    .version(world.version, '--version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeOut: (text) => world.stdout.write(text), writeErr: () => {} });
  let exitCode = 0;
  const ended = (code: number): void => {
    exitCode = code;
  };
  for (const verb of VERBS) addVerb(program, verb, world, ended);
  addHelp(program, world);

  try {
    if (argv.length === 0) program.outputHelp();
    else await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof ReaderGone) throw error;
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    if (error instanceof Interrupted) {
      afterFailure(argv, ENDING_SIGNALS[error.signal as keyof typeof ENDING_SIGNALS] ?? 1, world);
      throw error;
    }
    const known = error instanceof CommanderError ? usageError(error, program, argv) : error;
    const code = afterFailure(argv, known instanceof GwtokenError ? known.exitCode : 1, world);
    await report(known, argv, world);
    return code;
  }
}

/** The exit code when nothing caught an error, after the last that the verb can do; all of it at once, nothing waits. */
export function exitCodeOfCrash(argv: readonly string[], world: World): number {
  return afterFailure(argv, 1, world);
}

/** Comes before any words, since stderr may be what is broken. */
function afterFailure(argv: readonly string[], exitCode: number, world: World): number {
  try {
    return verbIn(argv)?.onFailure?.(argv, exitCode, world) ?? exitCode;
  } catch {
    // stdout is broken; what went wrong before is still told.
    return exitCode;
  }
}

/** The verb that is meant, also where the arguments cannot be parsed. */
function verbIn(argv: readonly string[]): Verb | undefined {
  if (argv[0] === 'help') return undefined;
  const name = argv.find((word) => VERBS.some((verb) => verb.name === word));
  return VERBS.find((verb) => verb.name === name);
}

function addVerb(parent: Command, verb: Verb, world: World, ended: (exitCode: number) => void): void {
  const command = parent.command([verb.name, verb.args].filter(Boolean).join(' ')).description(verb.summary);
  command.version(world.version, '--version', 'print the version');
  if (verb.passThrough) command.passThroughOptions();
  if (verb.evaluated) {
    const output = world.stdout.isTTY() ? world.stdout : world.stderr;
    command.configureOutput({ writeOut: (text) => output.write(text) });
  }
  for (const flag of verb.flags) for (const option of optionsOf(flag)) command.addOption(option);
  for (const child of verb.verbs ?? []) addVerb(command, child, world, ended);
  const { run } = verb;
  if (!run) return;
  command.action(async (...given: unknown[]) => {
    const args = given
      .slice(0, -2)
      .flat()
      .filter((arg): arg is string => typeof arg === 'string');
    const flags = givenFlags(command, verb.flags);
    const exitCode = await run(flags, flags['verbose'] === true ? withTrace(world) : world, ...args);
    if (typeof exitCode === 'number') ended(exitCode);
  });
}

/** `help`, `help COMMAND` and `help TOPIC`, in place of commander's, which knows of no topics. */
function addHelp(program: Command, world: World): void {
  const topics = Object.entries(TOPICS).map(([name, { summary }]) => `  ${name.padEnd(14)}${summary}`);
  program
    .helpCommand(false)
    .command('help [topic]')
    .description('show the help for a command, or a topic of those below')
    .action(async (name?: string) => {
      const command = name === undefined ? program : program.commands.find((each) => each.name() === name);
      if (command) command.outputHelp();
      else
        world.stdout.write(
          await topicText(
            name ?? '',
            VERBS.map((verb) => verb.name),
          ),
        );
    });
  program.addHelpText('after', ['', 'Topics:', ...topics].join('\n'));
}

function optionsOf(flag: Flag): Option[] {
  const short = flag.short === undefined ? '' : `-${flag.short}, `;
  const value = flag.value === undefined ? '' : ` <${flag.value}>`;
  const names = flag.negative === 'only' ? [`--no-${flag.name}`] : [`${short}--${flag.name}${value}`];
  if (flag.negative === 'also') names.push(`--no-${flag.name}`);
  return names.map((name, index) =>
    new Option(name, index === 0 ? flag.help : `undo --${flag.name} of a variable or the config`).helpGroup(
      GROUPS[flag.group],
    ),
  );
}

/** Only what stands on the command line, by its long name: defaults of commander's are not the user's word. */
function givenFlags(command: Command, flags: readonly Flag[]): FlagValues {
  const values: Record<string, string | boolean> = {};
  for (const { name } of flags) {
    // commander strips "no-" from the key of a flag that begins with it, and turns its value around.
    const negated = name.startsWith('no-');
    const key = (negated ? name.slice(3) : name).replace(/-(.)/g, (_, letter: string) =>
      letter.toUpperCase(),
    );
    if (command.getOptionValueSource(key) !== 'cli') continue;
    const value = command.getOptionValue(key) as string | boolean;
    values[name] = negated ? !value : value;
  }
  return values;
}

function withTrace(world: World): World {
  return { ...world, trace: (line) => world.stderr.write(`gwtoken: ${line}\n`) };
}

/** commander's message, `error: unknown option '--regoin'\n(Did you mean --region?)`, as one of ours. */
function usageError(error: CommanderError, program: Command, argv: readonly string[]): GwtokenError {
  const name = verbIn(argv)?.name;
  const verb = program.commands.find((command) => command.name() === name);
  const help = verb ? `run: gwtoken ${verb.name()} --help` : 'run: gwtoken --help';
  if (error.code === 'commander.help') {
    const children = verb?.commands.map((child) => child.name()).filter((name) => name !== 'help') ?? [];
    return new GwtokenError('usage', `${verb?.name() ?? 'gwtoken'} needs one of: ${children.join(', ')}`, {
      hints: [help],
    });
  }
  const [message = '', ...more] = error.message.replace(/^error: /, '').split('\n');
  return new GwtokenError('usage', message, {
    hints: [...more.map((line) => line.replace(/^\(|\)$/g, '')), help],
  });
}

/** The one place where an error becomes words (contract section 5). */
async function report(error: unknown, argv: readonly string[], world: World): Promise<void> {
  const paint = await world.terminal.paint('stderr');
  const label = `gwtoken: ${paint.red('error:')}`;
  if (!(error instanceof GwtokenError)) {
    world.stderr.write(
      `${label} a bug in gwtoken\n${error instanceof Error ? error.stack : String(error)}\n`,
    );
    return;
  }
  const verbose = argv.includes('-v') || argv.includes('--verbose');
  world.stderr.write(
    [
      `${label} ${error.message}`,
      ...error.hints.map((hint) => `${paint.cyan('hint:')} ${hint}`),
      ...(verbose && error.detail !== undefined ? [`gwtoken: ${error.detail}`] : []),
      '',
    ].join('\n'),
  );
}
