/** The commands and flags of the grammar, and command lines of gwtoken in texts. */
import { readLine } from '../../src/cli/command-line';
import type { Flag } from '../../src/commands/flags';
import type { Command } from '../../src/commands/grammar';

interface Placed {
  readonly path: readonly string[];
  readonly command: Command;
}

/** Returns each command with the words that name it. */
export function allCommands(commands: readonly Command[], above: readonly string[] = []): Placed[] {
  return commands.flatMap((command) => {
    const path = [...above, command.name];
    return [{ path, command }, ...allCommands(command.subcommands ?? [], path)];
  });
}

/** Returns the long form of a flag. */
export function longForm({ spec }: Flag): string {
  return /--[\w-]+/.exec(spec)![0];
}

/** Text before a command: a line's start, a prompt, the end of another command, a quote or a YAML key. */
const BEFORE = /(?:^\s*|^\s*\$ |[(`|;&'"] *|\b(?:run|script): )/.source;
/** A command up to its end, which may not be inside quotes. */
const REST = /((?:'[^']*'|"[^"]*"|[^'")`|;#&])*)/.source;

/** Splits a line of shell into words without their quotes. */
export function words(line: string): string[] {
  const found = line.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
  return found.map((word) => word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2'));
}

/** Returns the words of each gwtoken command in a line of shell, without quotes and redirections. */
export function gwtokenLines(line: string): string[][] {
  const found = line.matchAll(new RegExp(`${BEFORE}gwtoken(?= |$|\\))${REST}`, 'g'));
  return [...found].map(([, rest = '']) => words(rest.replace(/\s\d?[<>]+\s*\S*/g, ' ')));
}

/** A fenced block of code in Markdown. */
interface CodeBlock {
  /** Name of the file that contains the code, from the line above the block. */
  readonly file: string | undefined;
  readonly language: string;
  readonly code: string;
}

/** Returns the fenced blocks of code. */
export function codeBlocks(markdown: string): CodeBlock[] {
  const found = markdown.matchAll(/(?:^`([^`\n]+)`:\n\n)?^```(\w+)\n([\s\S]*?)^```$/gm);
  return [...found].map(([, file, language = '', code = '']) => ({ file, language, code }));
}

/** Returns the command lines in the first column of tables. */
export function linesInTables(markdown: string): string[] {
  return [...markdown.matchAll(/^\| `((?:gwtoken|eval) [^`]*)` \|/gm)].map(([, line = '']) => line);
}

/** Returns the indented blocks of code, without their indentation. */
export function indentedBlocks(markdown: string): string[] {
  const unfenced = markdown.replace(/^```[\s\S]*?^```/gm, '');
  return (unfenced.match(/(?:^ {4,}\S.*\n)+/gm) ?? []).map((code) => code.replace(/^ +/gm, ''));
}

/** Returns the lines of shell in Markdown: indented, fenced and inline code. Continued lines are joined. */
export function codeLines(markdown: string): string[] {
  const joined = markdown.replace(/\\\n\s*/g, ' ');
  const blocks = [...codeBlocks(joined).map(({ code }) => code), ...indentedBlocks(joined)];
  const inline = joined.matchAll(/`(gwtoken [^`\n]*(?:\n[^`\n]*)?)`/g);
  return [...blocks.join('').split('\n'), ...[...inline].map(([, line = '']) => line.replace(/\n\s*/, ' '))];
}

/** Returns the words that name the command of a command line. Throws if the program rejects the line. */
export function commandOf(words: readonly string[]): string {
  const { path, problem } = readLine(words);
  if (problem) throw problem;
  return path.length === 0 ? words.join(' ') : path.map(({ name }) => name).join(' ');
}
