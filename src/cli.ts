/** run(argv, world) -> exit code: the commander program, built from the options table, and the one error boundary. */
import { Command, CommanderError, Option } from 'commander';
import { configCommand } from './commands/config';
import { getCommand } from './commands/get';
import { loginCommand } from './commands/login';
import { logoutCommand } from './commands/logout';
import type { Verb } from './commands/verb';
import { GwtokenError, Interrupted, ReaderGone } from './errors';
import type { Flag, FlagValues } from './options';
import type { World } from './world';

const VERBS: readonly Verb[] = [getCommand, loginCommand, logoutCommand, configCommand];

const GROUPS = {
  client: 'Which client:',
  fetch: 'How the token is fetched:',
  output: 'Output:',
  general: 'General:',
};

/** What commander would find out from `process.stdout`, which costs 4 ms to make. */
const NO_TERMINAL = {
  getOutHelpWidth: () => 80,
  getErrHelpWidth: () => 80,
  getOutHasColors: () => false,
  getErrHasColors: () => false,
};

/** Runs one command line. Rejects only with Interrupted and ReaderGone, which are not answered with words. */
export async function run(argv: readonly string[], world: World): Promise<number> {
  const program = new Command('gwtoken');
  program
    .description('Fetch OAuth 2.0 client-credentials tokens for the API gateway and its sandbox.')
    .version(world.version, '--version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => world.stdout.write(text),
      writeErr: () => {},
      ...(world.stdout.isTTY() ? {} : NO_TERMINAL),
    });
  for (const verb of VERBS) addVerb(program, verb, world);

  try {
    if (argv.length === 0) program.outputHelp();
    else await program.parseAsync(argv, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof Interrupted || error instanceof ReaderGone) throw error;
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    const known = error instanceof CommanderError ? usageError(error, program, argv) : error;
    return await report(known, argv, world);
  }
}

function addVerb(parent: Command, verb: Verb, world: World): void {
  const command = parent.command([verb.name, verb.args].filter(Boolean).join(' ')).description(verb.summary);
  for (const flag of verb.flags) for (const option of optionsOf(flag)) command.addOption(option);
  for (const child of verb.verbs ?? []) addVerb(command, child, world);
  const { run } = verb;
  if (!run) return;
  command.action(async (...given: unknown[]) => {
    const args = given.slice(0, -2).filter((arg): arg is string => typeof arg === 'string');
    const flags = givenFlags(command, verb.flags);
    await run(flags, flags['verbose'] === true ? withTrace(world) : world, ...args);
  });
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
  const verb = program.commands.find((command) => argv.includes(command.name()));
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

/** The one place where an error becomes words and a code (contract section 5). */
export async function report(error: unknown, argv: readonly string[], world: World): Promise<number> {
  const paint = await world.terminal.paint('stderr');
  const label = `gwtoken: ${paint.red('error:')}`;
  if (!(error instanceof GwtokenError)) {
    world.stderr.write(
      `${label} a bug in gwtoken\n${error instanceof Error ? error.stack : String(error)}\n`,
    );
    return 1;
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
  return error.exitCode;
}
