/** Who reads each of the formats that are no shell's: programs themselves where npm or Node has them, else their rules. */
import { parseEnv } from 'node:util';
import { parse as parseDotenv } from 'dotenv';
import { readFileCommands } from '../harness/github-runner';

export type Read = (text: string) => ReadonlyMap<string, string>;

const mapOf = (object: NodeJS.Dict<string>): Map<string, string> =>
  new Map(Object.entries(object).map(([name, value]) => [name, value ?? '']));

/** docker/cli, pkg/kvfile; the version before it left quotes alone. */
function readKeyValues(text: string, takesQuotesOff: boolean): Map<string, string> {
  const entries = new Map<string, string>();
  for (const raw of text.split('\n')) {
    const line = raw.replace(/\r$/, '').trimStart();
    if (line === '' || line.startsWith('#')) continue;
    const [, name = '', value] = /^([^=]*)(?:=(.*))?$/s.exec(line) ?? [];
    if (name === '' || /[ \t]/.test(name)) throw new Error('not a name');
    const [, inside] = /^'(.*)'$/s.exec(value ?? '') ?? /^"(.*)"$/s.exec(value ?? '') ?? [];
    if (value !== undefined) entries.set(name, takesQuotesOff ? (inside ?? value) : value);
  }
  return entries;
}

/** As Microsoft's agent is described, not copied from it: anywhere in a line, up to the first `]`; then escapes are undone. */
function readLoggingCommands(text: string, undo: (data: string) => string): Map<string, string> {
  const entries = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const [, properties, data] = /##vso\[task\.setvariable ([^\]]*)\](.*)$/.exec(line) ?? [];
    if (properties === undefined) {
      if (line !== '') throw new Error('a line of the log');
      continue;
    }
    const pairs = new Map(properties.split(';').map((pair) => pair.split('=', 2) as [string, string]));
    if (pairs.get('issecret') !== 'true') throw new Error('not a secret');
    entries.set(pairs.get('variable') ?? '', undo(data ?? ''));
  }
  return entries;
}

const unescapeData = (data: string): string =>
  data.replaceAll('%3B', ';').replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%5D', ']');

/** PowerShell takes these for single quotes too (about_Quoting_Rules); two of them in such a text are one. */
const QUOTES = "'\u2018\u2019\u201a\u201b";

/**
 * The little of PowerShell's grammar that a whole output may consist of: texts in single quotes, in which nothing but
 * the quotes means anything, and the removal of variables. There is no PowerShell in Debian or npm to ask.
 */
function readPowerShell(text: string): Map<string, string> {
  // Its pipeline hands a program's output on line by line, and Out-String puts them together with the system's line end.
  const lines = text.split(/\r\n|\n|\r/).join('\r\n');
  const entries = new Map<string, string>();
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    const found = new RegExp(pattern.source, 'y');
    found.lastIndex = at;
    const match = found.exec(lines);
    if (match) at += match[0].length;
    return match ?? undefined;
  };
  while (at < lines.length) {
    const [, removed] = take(/Remove-Item ((?:Env:\w+,?)+) -ErrorAction SilentlyContinue\r\n/) ?? [];
    for (const name of removed?.split(',') ?? []) entries.delete(name.replace('Env:', ''));
    if (removed !== undefined) continue;
    const [, name] = take(new RegExp(`\\$env:(\\w+) = [${QUOTES}]`)) ?? [];
    if (name === undefined) throw new Error(`no statement: ${lines.slice(at)}`);
    let value = '';
    for (;;) {
      const [piece] = take(new RegExp(`[^${QUOTES}]*`)) ?? [''];
      value += piece;
      const [quotes = ''] = take(new RegExp(`[${QUOTES}]{1,2}`)) ?? [];
      if (quotes.length < 2) break;
      value += quotes[0];
    }
    if (!take(/\r\n/)) throw new Error(`more after the text of ${name}: ${lines.slice(at)}`);
    entries.set(name, value);
  }
  return entries;
}

/** All readers of a format must agree on what was written. */
export const READERS: Readonly<Record<string, Readonly<Record<string, Read>>>> = {
  'github-env': { 'the runner': readFileCommands },
  'github-output': { 'the runner': readFileCommands },
  dotenv: {
    dotenv: (text) => mapOf(parseDotenv(text)),
    'node --env-file': (text) => mapOf(parseEnv(text) as NodeJS.Dict<string>),
  },
  docker: {
    docker: (text) => readKeyValues(text, true),
    'an older docker': (text) => readKeyValues(text, false),
  },
  powershell: { 'its grammar': readPowerShell },
  azure: {
    'the agent': (text) => readLoggingCommands(text, (data) => unescapeData(data).replaceAll('%AZP25', '%')),
    'an older agent': (text) => readLoggingCommands(text, unescapeData),
    'one that trims': (text) => readLoggingCommands(text, (data) => data.trim()),
  },
};
