/** What people type first who come from other tools, and the command line of gwtoken that they mean. */

import { isRegion } from '../client';
import { COMMANDS } from '../commands/all';
import type { Command } from '../commands/command';
import { spellings } from '../commands/flags';

/** Words for commands in gh, git, aws, gcloud, docker, npm and their like. Two words come before their first. */
const COMMAND_WORDS: Readonly<Record<string, string>> = {
  'auth login': 'login',
  'auth logout': 'logout',
  'auth status': 'status',
  'auth token': 'get',
  'auth print-access-token': 'get',
  auth: 'login',
  'config show': 'config list',
  'config view': 'config list',
  'config add': 'config set',
  'config rm': 'config unset',
  'config remove': 'config unset',
  'config delete': 'config unset',
  token: 'get',
  fetch: 'get',
  'print-access-token': 'get',
  'access-token': 'get',
  refresh: 'get --fresh',
  renew: 'get --fresh',
  export: 'env',
  run: 'exec',
  signin: 'login',
  setup: 'login',
  configure: 'login',
  init: 'login',
  add: 'login',
  signout: 'logout',
  remove: 'logout',
  whoami: 'status',
  list: 'status',
  ls: 'status',
  show: 'status',
  profiles: 'status',
  clients: 'status',
  check: 'doctor',
  diagnose: 'doctor',
  'switch eu': 'config set region eu',
  'switch us': 'config set region us',
  'use eu': 'config set region eu',
  'use us': 'config set region us',
  switch: 'config set profile',
  use: 'config set profile',
  set: 'config set',
  unset: 'config unset',
  settings: 'config list',
  man: 'help',
  version: '--version',
};

/** Flags of the same tools. */
const FLAG_WORDS: Readonly<Record<string, string>> = {
  '--json': '--format json',
  '-o': '--format',
  '-f': '--format',
  '--output': '--format',
  '--shell': '--format',
  '--refresh': '--fresh',
  '--debug': '--verbose',
  '--url': '--auth-url',
  '--production': '--no-sandbox',
  '--prod': '--no-sandbox',
  '--clear': '--unset',
  '--stdin': '--secret-stdin',
  '--force': '--yes',
  '-V': '--version',
};

/** What another tool's word for a command is here. */
export function commandFor(word: string): string | undefined {
  return Object.hasOwn(COMMAND_WORDS, word) ? COMMAND_WORDS[word] : undefined;
}

/** What another tool's flag is here. */
export function flagFor(name: string): string | undefined {
  return Object.hasOwn(FLAG_WORDS, name) ? FLAG_WORDS[name] : undefined;
}

const ON = ['1', 'true', 'yes', 'on'];
const OFF = ['0', 'false', 'no', 'off'];

type Words = readonly string[];
/** The same line, mended in one way; unchanged where there is nothing to mend. */
type Rule = (words: Words) => Words;

/** Those of subcommands are other commands' too. */
const FLAGS = COMMANDS.flatMap(({ flags }) => flags);

/** Whether any command has this flag, and as a switch: one without a value. */
export function isSwitch(name: string): boolean {
  return FLAGS.some((flag) => flag.value === undefined && spellings(flag).includes(name));
}

/** Whether any command has this flag. */
export function isFlag(word: string): boolean {
  return FLAGS.some((flag) => word === `-${flag.short}` || spellings(flag).includes(word));
}

/** `--sandbox=true` and `--sandbox true`. */
const withoutValues: Rule = (words) =>
  words.flatMap((word, index) => {
    const [, name = '', value = ''] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? [];
    if (isSwitch(name)) return switched(name, value) ?? [word];
    const before = words[index - 1] ?? '';
    if (isSwitch(before) && [...ON, ...OFF].includes(word.toLowerCase())) return [];
    return isSwitch(word) ? (switched(word, words[index + 1] ?? '') ?? [word]) : [word];
  });

/** The switch alone, its opposite or nothing; undefined for a value that is neither on nor off. */
function switched(name: string, value: string): Words | undefined {
  if (ON.includes(value.toLowerCase())) return [name];
  if (!OFF.includes(value.toLowerCase())) return undefined;
  const opposite = name.startsWith('--no-') ? name.replace('--no-', '--') : name.replace('--', '--no-');
  return isFlag(opposite) ? [opposite] : [];
}

const otherCommand: Rule = (words) => {
  for (const [index, word] of words.entries()) {
    const pair = commandFor(`${word} ${words[index + 1]}`);
    const meant = pair ?? commandFor(word);
    const rest = words.slice(index + (pair === undefined ? 1 : 2));
    if (meant !== undefined) return [...words.slice(0, index), ...meant.split(' '), ...rest];
  }
  return words;
};

/** `-o json`, where the command has `--json`. */
const jsonFlag: Rule = (words) =>
  words.flatMap((word, index) => {
    if (/^(--output|--format)=json$/.test(word)) return ['--json'];
    if (word === 'json' && OUTPUT_FLAGS.includes(words[index - 1] ?? '')) return [];
    return OUTPUT_FLAGS.includes(word) && words[index + 1] === 'json' ? ['--json'] : [word];
  });

const OUTPUT_FLAGS = ['-o', '--output', '--format'];

const otherFlag: Rule = (words) =>
  words.flatMap((word) => {
    const [, name = '', value = ''] = /^(--?[\w-]+)(=.*)?$/s.exec(word) ?? [];
    const meant = flagFor(name);
    return meant === undefined ? [word] : `${meant}${value}`.split(' ');
  });

/** `gwtoken get eu`, `gwtoken get sandbox`, `gwtoken get help`. */
const bareWords: Rule = (words) =>
  words.flatMap((word, index) => {
    if (index === 0 || takesValue(words[index - 1])) return [word];
    if (isRegion(word.toLowerCase())) return ['--region', word.toLowerCase()];
    return BARE_WORDS.get(word) ?? [word];
  });

const BARE_WORDS: ReadonlyMap<string, Words> = new Map([
  ['sandbox', ['--sandbox']],
  ['production', ['--no-sandbox']],
  ['json', ['--format', 'json']],
  ['help', ['--help']],
]);

function takesValue(word = ''): boolean {
  return FLAGS.some(
    (flag) => flag.value !== undefined && (word === `-${flag.short}` || spellings(flag).includes(word)),
  );
}

/** `gwtoken -v get`; without a command `get` is meant. */
const flagsBehind: Rule = (words) => {
  let at = words.findIndex((word, index) => isCommand(word) && !takesValue(words[index - 1]));
  if (at < 0) return words[0]?.startsWith('-') ? ['get', ...words] : words;
  const before = words.slice(0, at);
  let command = COMMANDS.find(({ name }) => name === words[at]);
  const path = [words[at] ?? ''];
  for (;;) {
    const below: Command | undefined = command?.subcommands?.find(({ name }) => name === words[at + 1]);
    if (below === undefined) break;
    command = below;
    path.push(below.name);
    at++;
  }
  return [...path, ...before, ...words.slice(at + 1)];
};

function isCommand(word: string): boolean {
  return COMMANDS.some(({ name }) => name === word);
}

const RULES: readonly Rule[] = [otherCommand, withoutValues, flagsBehind, jsonFlag, otherFlag, bareWords];

/**
 * The line that was meant, if it can be told: of the mended ones the first that gwtoken takes, with the later rules
 * tried before the earlier ones.
 *
 * @param typo a word as it was typed, and the one that was meant
 * @param parses whether gwtoken takes the line
 */
export function mend(
  argv: Words,
  typo: readonly [typed: string, meant: string] | undefined,
  parses: (argv: Words) => boolean,
): Words | undefined {
  const respell: Rule = (words) => {
    const index = typo ? words.findIndex((word) => word === typo[0] || word.startsWith(`${typo[0]}=`)) : -1;
    return typo && index >= 0
      ? words.with(index, typo[1] + (words[index] ?? '').slice(typo[0].length))
      : words;
  };
  // Behind `--` stands another program's line.
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  let lines: Words[] = [argv.slice(0, end)];
  // First, so that a line mended by it comes last: another tool's word comes before a similar one.
  for (const rule of [respell, ...RULES]) {
    lines = lines.flatMap((words) => {
      const mended = rule(words);
      return mended.join('\0') === words.join('\0') ? [words] : [words, mended];
    });
  }
  return lines.map((words) => [...words, ...argv.slice(end)]).find(parses);
}
