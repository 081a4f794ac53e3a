import { parseLine } from '../../src/cli/program';
import type { Flag } from '../../src/commands/flags';
import { COMMANDS, type Command } from '../../src/commands/grammar';
import { painter } from '../../src/system/terminal/terminal';
import type { Terminal } from '../../src/world';

type Plain = Pick<Terminal, 'paint' | 'spin'>;

/** Makes a terminal without colours, whose spinner writes its labels into this list. */
export const noting = (labels: string[]): Plain => ({
  paint: () => painter({}, false),
  spin(label, work) {
    labels.push(label);
    return work((next) => void labels.push(next), new AbortController().signal);
  },
});
/** A terminal without colours. */
export const PLAIN = noting([]);

interface Placed {
  readonly path: readonly string[];
  readonly command: Command;
}

/** Every command with the words that name it. */
export function allCommands(commands: readonly Command[], above: readonly string[] = []): Placed[] {
  return commands.flatMap((command) => {
    const path = [...above, command.name];
    return [{ path, command }, ...allCommands(command.subcommands ?? [], path)];
  });
}

/** The long form of a flag as it is typed. */
export function typed({ spec }: Flag): string {
  return /--[\w-]+/.exec(spec)![0];
}

/** Precedes a command: the line's start, a prompt, another command's end, a quote, a key of YAML. */
const BEFORE = /(?:^\s*|^\s*\$ |[(`|;&'"] *|\b(?:run|script): )/.source;
/** Up to what ends a command, but for what is quoted. */
const REST = /((?:'[^']*'|"[^"]*"|[^'")`|;#&])*)/.source;

/** The gwtoken command lines in a line of shell, each as words: quotes taken off, redirections left out. */
export function shellLine(line: string): string[][] {
  const found = line.matchAll(new RegExp(`${BEFORE}gwtoken(?= |$|\\))${REST}`, 'g'));
  return [...found].map(([, rest = '']) =>
    [...rest.replace(/\s\d?[<>]+\s*\S*/g, ' ').matchAll(/'([^']*)'|"([^"]*)"|[^\s'"]+/g)].map(
      ([word, single, double]) => single ?? double ?? word,
    ),
  );
}

/** The lines of shell in Markdown: its code, indented, fenced and inline. Lines that go on are joined. */
export function codeLines(markdown: string): string[] {
  let fenced = false;
  const blocks = markdown
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => {
      if (line.startsWith('```')) fenced = !fenced;
      return fenced || line.startsWith('    ');
    });
  const inline = markdown.matchAll(/`(gwtoken [^`\n]*(?:\n[^`\n]*)?)`/g);
  return [...blocks, ...[...inline].map(([, line = '']) => line.replace(/\n\s*/, ' '))];
}

/** Parses words with the program's own grammar; returns the command's name, or what begins with `error: `. */
export async function parsed(words: readonly string[]): Promise<string> {
  try {
    const { command } = parseLine(words, '');
    if (command)
      return allCommands(COMMANDS)
        .find((each) => each.command === command)!
        .path.join(' ');
  } catch (error) {
    return `error: ${(error as Error).message}`;
  }
  // Behind a word that is no command --help shows the program's own.
  const [name = ''] = words;
  const known = name.startsWith('-') || name === '' || COMMANDS.some((each) => each.name === name);
  return known ? words.join(' ') : `error: unknown command '${name}'`;
}
