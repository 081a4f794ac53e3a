import { spawnSync } from 'node:child_process';
import { createProgram } from '../../src/cli/program';
import type { Flag } from '../../src/commands/flags';
import { COMMANDS, type Command } from '../../src/commands/grammar';
import { painter } from '../../src/system/terminal/capabilities';
import type { Terminal } from '../../src/world';

type Plain = Pick<Terminal, 'paint' | 'hasUnicode' | 'spin'>;

/** Makes a terminal without colours, whose spinner writes its labels into this list. */
export const noting = (labels: string[]): Plain => ({
  paint: () => painter({}, false),
  hasUnicode: () => true,
  spin(label, work) {
    labels.push(label);
    return work((next) => void labels.push(next));
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

/** The blocks of shell in Markdown: those fenced as sh, and the indented ones. */
export function blocksOf(markdown: string): string[] {
  const fenced = /^```(\w*)\n([\s\S]*?)^```$/gm;
  return [
    ...[...markdown.matchAll(fenced)].flatMap(([, language, text = '']) => (language === 'sh' ? [text] : [])),
    ...[...markdown.replace(fenced, '').matchAll(/(?:^ {4}.*\n(?:\n(?= {4}))?)+/gm)].map(([text]) => {
      const [indentation = ''] = /^ +/.exec(text) ?? [];
      return text.replaceAll(new RegExp(`^${indentation}`, 'gm'), '');
    }),
  ];
}

/** A block of shell cut into what a person would enter at once; a sample (`$ `) with what it prints. */
export function unitsOf(block: string): string[] {
  if (/^\$ /.test(block)) return [block.trim()];
  const units: string[] = [];
  let unit = '';
  for (const line of block.split('\n')) {
    unit += line;
    const whole = !line.endsWith('\\') && spawnSync('bash', ['-nc', unit]).status === 0;
    if (whole && unit.trim() !== '') units.push(unit.trim());
    unit = whole ? '' : `${unit}\n`;
  }
  // What is no shell is left whole.
  return unit.trim() === '' ? units : [...units, unit.trim()];
}

/** The command lines in prose; one that only names a command is none. */
export function spansOf(markdown: string): string[] {
  const prose = markdown.replace(/^```[\s\S]*?^```$|^ {4}.*$/gm, '');
  return [...prose.matchAll(/`((?:[^`\n]|\n(?!\n))*)`/g)]
    .map(([, span = '']) => span.replace(/\s+/g, ' '))
    .filter(
      (span) => /^gwtoken \S|\$\(gwtoken/.test(span) && !/^gwtoken (\w+$|COMMAND|help TOPIC)/.test(span),
    );
}

/** Parses words with the program's own grammar; returns the command's name, or what begins with `error: `. */
export async function parsed(words: readonly string[]): Promise<string> {
  let ran: string | undefined;
  const program = createProgram(words, {
    version: '',
    print() {},
    async execute(command) {
      const { path } = allCommands(COMMANDS).find((each) => each.command === command)!;
      ran = path.join(' ');
    },
  });
  try {
    await program.parseAsync([...words], { from: 'user' });
  } catch (error) {
    if ((error as { exitCode?: number }).exitCode !== 0) return `error: ${(error as Error).message}`;
  }
  // Behind a word that is no command --help shows the program's own.
  const [name = ''] = words;
  const known = name.startsWith('-') || name === '' || program.commands.some((each) => each.name() === name);
  return known ? (ran ?? words.join(' ')) : `error: unknown command '${name}'`;
}
