/** The readers of the formats that are no shell's: programs where npm or Node has them, else their rules. */
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

/** What Microsoft's agent finds, which trims, and undoes the escapes of `%`: neither can be in a value. */
function readLoggingCommands(text: string): Map<string, string> {
  const entries = new Map<string, string>();
  for (const line of text.split('\n').slice(0, -1)) {
    const [, name, data] = /^##vso\[task\.setvariable variable=(\w+);issecret=true\](.*)$/.exec(line) ?? [];
    if (name === undefined || data === undefined || /%|\$\(/.test(data)) throw new Error('a line of the log');
    entries.set(name, data.trim());
  }
  return entries;
}

/** What PowerShell finds in single quotes, where two of them are one and nothing else has a meaning. */
function readPowerShell(text: string): Map<string, string> {
  const entries = new Map<string, string>();
  for (const line of text.split('\n').slice(0, -1)) {
    if (/^Remove-Item Env:\w+ -ErrorAction SilentlyContinue$/.test(line)) continue;
    const [, name, value] = /^\$env:(\w+) = '((?:[^']|'')*)'$/.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new Error(`no statement: ${line}`);
    entries.set(name, value.replaceAll("''", "'"));
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
  azure: { 'the agent': readLoggingCommands },
};
