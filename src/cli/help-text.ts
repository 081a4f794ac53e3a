/** What the help of a command says below its flags, in 80 columns: settings that do the same, examples, exit codes. */

import { columns } from '../commands/columns';
import type { Command } from '../commands/command';
import { EXIT_CODES, type ExitCode } from '../exit-codes';
import { spellings } from '../flags';
import { theSame } from '../settings/words';

const EVERYWHERE: readonly ExitCode[] = [0, 1, 2];

/** The exit codes of a command, in their order. */
export function exitCodesOf({ exitCodes = [] }: Command): readonly ExitCode[] {
  return exitCodes.includes(125) ? [0, ...exitCodes] : [...EVERYWHERE, ...exitCodes];
}

/** The flags that can be given by a variable or a config key, each with those. */
export function settingsOf({ flags }: Command): readonly (readonly string[])[] {
  return flags.flatMap((flag) =>
    flag.setting ? [[...spellings(flag).slice(0, 1), ...theSame(flag.setting)]] : [],
  );
}

export function helpBelow(command: Command): string {
  const settings = settingsOf(command).map(([flag = '', ...same]) => [`  ${flag}`, ...same]);
  const examples = (command.examples ?? []).flatMap(({ line, does }) => [`  ${line}`, `      ${does}`]);
  const codes = exitCodesOf(command).map((code) => [`  ${code}`, EXIT_CODES[code].words]);
  const sections = [
    section('Environment variables and config keys:', columns(settings)),
    section('Examples:', examples),
    command.subcommands ? [] : section('Exit codes (see gwtoken help exit-codes):', columns(codes)),
  ];
  return sections.flat().join('\n');
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title, ...lines];
}

/** A summary as a sentence. */
export function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}
