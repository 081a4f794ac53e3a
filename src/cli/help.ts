/** How help is laid out: commander lists what it knows of, in 80 columns, and our own lines stand below. */
import type { Command } from 'commander';
import type { Verb } from '../commands/command';
import { TOPICS, topicText } from '../topics/topics';
import type { World } from '../world/world';
import { columns, helpBelow, sentence } from './help-text';

const GROUPS: Record<NonNullable<Verb['group']>, string> = {
  token: 'Get a token:',
  client: 'Clients, whose secrets are in the keychain:',
  setup: 'Settings and trouble:',
};

const GENERAL = 'General:';

/** The line of a command in the help of the one above it. */
export function list(command: Command, { summary, group }: Verb): void {
  command.summary(summary).helpCommand(false);
  if (group !== undefined) command.helpGroup(GROUPS[group]);
}

/** The help of one command. */
export function layOut(command: Command, verb: Verb): void {
  command.description(sentence(verb.summary)).addHelpText('after', helpBelow(verb));
}

/** `help`, `help COMMAND` and `help TOPIC`, in place of commander's, which knows of no topics. */
export function addHelp(
  program: Command,
  verbs: readonly Verb[],
  equip: (command: Command) => void,
  world: Pick<World, 'stdout'>,
): Command {
  const topics = Object.entries(TOPICS).map(([name, { summary }]) => [`  ${name}`, summary]);
  const listed = ['', 'Topics of gwtoken help:', ...columns(topics)];
  return program
    .usage('COMMAND [options]')
    .helpCommand(false)
    .configureHelp({ ...program.configureHelp(), subcommandTerm: nameOf, visibleOptions: () => [] })
    .addHelpText('after', ['', `Topics: ${Object.keys(TOPICS).join(', ')}.`, ...FURTHER].join('\n'))
    .command('help [name...]')
    .usage('[COMMAND|TOPIC]')
    .summary('show the help of a command, or one of the topics below')
    .description('Show the help of a command, or a topic.')
    .addHelpText('after', listed.join('\n'))
    .helpGroup(GROUPS.setup)
    .optionsGroup(GENERAL)
    .option('-v, --verbose', 'tell on stderr what is done and why')
    .action(async (names: string[]) => {
      const named = names.reduce<Command | undefined>((above, word) => {
        const found = above?.commands.find((each) => each.name() === word);
        if (found) equip(found);
        return found;
      }, program);
      if (named) named.outputHelp();
      else world.stdout.write(await topicText(names.join(' '), [...verbs.map(({ name }) => name), 'help']));
    });
}

/** The first help is one screen of 24 lines: what more there is to a command stands in its own. */
const nameOf = (command: Command): string => command.name();
const FURTHER = ['More: gwtoken COMMAND --help, gwtoken help TOPIC, gwtoken --version.'];

/** What all help has in common; commands made after this inherit it. */
export function layOutAll(program: Command): void {
  program
    .optionsGroup(GENERAL)
    .helpOption('-h, --help', 'show this help')
    .configureHelp({
      helpWidth: 80,
      // In the order of the table, but what every command has comes last.
      groupItems: (all, visible, groupOf) => {
        const groups = new Map(all.map((item) => [groupOf(item), [] as typeof all]));
        if (groups.delete(GENERAL)) groups.set(GENERAL, []);
        for (const item of visible) groups.get(groupOf(item))?.push(item);
        return groups;
      },
      // Without "[options]", which stands behind every command.
      subcommandTerm: (command) =>
        [
          command.name(),
          ...command.registeredArguments.map((each) =>
            each.required ? `<${each.name()}>` : `[${each.name()}]`,
          ),
        ].join(' '),
    });
}
