/** The man page, in roff, from the commands, their flags, the settings and the exit codes. */
import { readFileSync } from 'node:fs';
import { sentence } from '../../src/cli/help';
import { TOPICS } from '../../src/cli/topics';
import { CREDENTIAL_PREFIXES, REGIONS } from '../../src/client';
import {
  CLIENT_FLAGS,
  CLIENT_NAME_FLAGS,
  FETCH_FLAGS,
  type Flag,
  takesValue,
  VERBOSE,
} from '../../src/commands/flags';
import { COMMANDS, type Command } from '../../src/commands/grammar';
import { ROWS, type SettingRow, variableOf } from '../../src/settings/table';
import { listOf } from '../../src/text';

const EXIT_CODES = readFileSync(new URL('../../src/cli/topics/exit-codes.md', import.meta.url), 'utf8');
const AUTH_URL_FLAGS = CLIENT_FLAGS.filter((flag) => !CLIENT_NAME_FLAGS.includes(flag));
const SHARED_FLAGS: readonly Flag[] = [...CLIENT_FLAGS, ...FETCH_FLAGS];
const CONFIG_KEYS = ROWS.map((row) => equivalents(row)[1]);
const DIRECTORY_ITEMS = [
  item('GWTOKEN_CONFIG_DIR', 'directory of the config file (default: gwtoken in XDG_CONFIG_HOME)'),
  item('GWTOKEN_CACHE_DIR', 'directory of the token cache (default: gwtoken in XDG_CACHE_HOME)'),
];

/** Returns the page; the date is that of the sources. */
export function manPage({ description, version }: Record<string, string>, date: Date): string {
  const sections = {
    NAME: `gwtoken \\- ${escaped(description!)}`,
    SYNOPSIS: code(COMMANDS.map((command) => `gwtoken ${command.name} ${usageOf(command)}`).join('\n')),
    DESCRIPTION: escaped(
      'gwtoken gets OAuth 2.0 access tokens (client-credentials grant) for an API gateway and its sandbox, ' +
        `in the regions ${listOf(REGIONS, 'and')}. It stores client secrets in the system keychain, caches ` +
        'tokens, and passes them to your shell, script or program. To start, run gwtoken login once; then ' +
        'gwtoken get prints a token.',
    ),
    COMMANDS: COMMANDS.map((command) => commandSection(command)).join('\n'),
    OPTIONS: [
      ...options('Which client', CLIENT_NAME_FLAGS),
      ...options('Its auth URL', AUTH_URL_FLAGS),
      ...options('Token request', FETCH_FLAGS),
      '.SS General',
      flagItem(VERBOSE),
      item('-h, --help', 'show help'),
      item('-V, --version', 'print the version'),
    ].join('\n'),
    'EXIT STATUS': [...EXIT_CODES.matchAll(/^\| (\d+) +\| (.*?) +\|/gm)]
      .map(([, number = '', meaning = '']) => item(number, meaning.replaceAll('`', '')))
      .join('\n'),
    ENVIRONMENT: [...ROWS.flatMap(variableItem), ...credentialItems(), ...DIRECTORY_ITEMS].join('\n'),
    FILES: [
      item('~/.config/gwtoken/config.json', `The config file, with the keys ${CONFIG_KEYS.join(', ')}.`),
      item('~/.cache/gwtoken/', 'The token cache (macOS: ~/Library/Caches/gwtoken/).'),
    ].join('\n'),
    EXAMPLES: COMMANDS.flatMap(({ examples }) => Object.entries(examples))
      .map(([line, does]) => `${escaped(sentence(does))}\n${code(line)}`)
      .join('\n.PP\n'),
    'SEE ALSO': [
      'What this page leaves out, such as CI systems, shells and security:',
      ...Object.entries(TOPICS).map(([name, { summary }]) => item(`gwtoken help ${name}`, summary)),
    ].join('\n'),
  };
  const day = date.toISOString().slice(0, 10);
  // Turns hyphenation off, because most long words are names.
  const head = `.TH GWTOKEN 1 ${day} "gwtoken ${version}"\n.nh\n.ad l\n`;
  return `${head}${Object.entries(sections)
    .map(([title, text]) => `.SH ${title}\n${text}\n`)
    .join('')}`;
}

function commandSection(command: Command, above = 'gwtoken'): string {
  const name = `${above} ${command.name}`;
  return [
    `.SS ${escaped(`${name} ${command.subcommands ? '' : usageOf(command)}`.trim())}`,
    escaped(sentence(command.summary)),
    ...command.flags.filter((flag) => !SHARED_FLAGS.includes(flag)).map(flagItem),
    ...(command.subcommands ?? []).map((child) => commandSection(child, name)),
  ].join('\n');
}

function usageOf({ args = '', passThrough, subcommands }: Command): string {
  if (subcommands) return subcommands.map(({ name }) => name).join('|');
  return ['[options]', passThrough === 'arguments' ? '--' : '', args].filter(Boolean).join(' ');
}

/** Returns the flags that several commands share, below a heading and the names of these commands. */
function options(heading: string, flags: readonly Flag[]): readonly string[] {
  const taking = COMMANDS.filter((command) => flags.every((flag) => command.flags.includes(flag)));
  const names = taking.map(({ name }) => name).join(', ');
  return [`.SS ${heading}`, `For ${names}.`, ...flags.map(flagItem)];
}

function flagItem({ spec, help, setting }: Flag): string {
  const [variable, key] = setting ? equivalents(setting) : [];
  const others = variable === undefined ? '' : ` (${variable}; config key ${key})`;
  return item(spec.replace(/[<>]/g, ''), help + others);
}

/** Returns a flag's equivalents: variable `GWTOKEN_AUTH_URL[_EU|_US]`, config key `auth-url[.eu|.us]`. */
export function equivalents(row: SettingRow<unknown>): readonly [variable: string, key: string] {
  const name = variableOf(row, row.key) ?? '';
  if (row.reach !== 'client') return [name, row.key];
  const regions = (separator: string) => `[${REGIONS.map((region) => separator + region).join('|')}]`;
  return [name + regions('_').toUpperCase(), row.key + regions('.')];
}

/** Returns the item of a setting's variable, or none if it has no variable. */
function variableItem(row: SettingRow<unknown>): readonly string[] {
  if (row.variable === 'none') return [];
  const [variable, key] = equivalents(row);
  const [spec] = Object.keys(row.flags ?? {});
  const isSwitch = spec !== undefined && !takesValue(spec);
  const same = spec?.replace(/^-\w, /, '').replace(/[<>]/g, '') ?? `the config key ${key}`;
  return [item(isSwitch ? `${variable}=1` : variable, `same as ${same}`)];
}

/** Returns the items of the variables with credentials. */
function credentialItems(): readonly string[] {
  const suffix = `[${REGIONS.map((each) => `_${each.toUpperCase()}`).join('|')}]`;
  const texts = {
    ID: 'client ID',
    SECRET: 'client secret',
    SECRET_FILE: 'file that contains only the client secret',
  };
  return Object.entries(CREDENTIAL_PREFIXES).flatMap(([environment, prefix]) =>
    Object.entries(texts).map(([name, text]) =>
      item(`${prefix}${name}${suffix}`, environment === 'sandbox' ? `${text} for the sandbox` : text),
    ),
  );
}

function item(term: string, text: string): string {
  return `.TP\n\\fB${escaped(term)}\\fR\n${escaped(text)}`;
}

function code(lines: string): string {
  return `.RS 2\n.nf\n${escaped(lines)}\n.fi\n.RE`;
}

/** Escapes a text for roff, so that each character is literal and no line is a request. */
function escaped(text: string): string {
  const glyph = (sign: string) => `\\[u00${sign.charCodeAt(0).toString(16).toUpperCase()}]`;
  return text.replace(/[\\\-'`^~]/g, glyph).replace(/^(?=\.)/gm, '\\&');
}
