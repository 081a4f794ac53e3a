import { CLIENT_SETTINGS, FETCH_SETTINGS, type Row } from './settings/table';

/**
 * Every flag once, as data: commander's program and the quick way are both built from this table, so that the two
 * cannot disagree about the grammar.
 */
export interface Flag {
  readonly name: string;
  readonly short?: string;
  /** How the value is called in help; a flag without one is a switch. */
  readonly value?: string;
  /** A switch that also, or only, exists as `--no-NAME`. */
  readonly negative?: 'also' | 'only';
  readonly help: string;
  readonly group: 'client' | 'fetch' | 'output' | 'general';
  /** The setting that it gives, which a variable and a key of the config file can give as well. */
  readonly setting?: Row<unknown>;
}

/** The flag as it is typed: `--name`, `--no-name`, or both. */
export function spellings({ name, negative }: Flag): readonly string[] {
  return [...(negative === 'only' ? [] : [`--${name}`]), ...(negative === undefined ? [] : [`--no-${name}`])];
}

/** The flags of settings, in the order of their table. */
function settingFlags(
  group: Flag['group'],
  settings: Readonly<Record<string, Row<unknown>>>,
): readonly Flag[] {
  return Object.values(settings).flatMap((setting) =>
    setting.flag ? [{ name: setting.key, group, setting, ...setting.flag }] : [],
  );
}

const CLIENT = settingFlags('client', CLIENT_SETTINGS);
const FETCH = settingFlags('fetch', FETCH_SETTINGS);

const flags = {
  prefix: {
    name: 'prefix',
    value: 'PREFIX',
    group: 'output',
    help: "what the variables' names begin with instead of GWTOKEN_",
  },
  verbose: { name: 'verbose', short: 'v', group: 'general', help: 'tell on stderr what is done and why' },
} as const satisfies Record<string, Flag>;

const VERBOSE: readonly Flag[] = [flags.verbose];
const JSON_OUTPUT: Flag = { name: 'json', group: 'output', help: 'print one JSON object' };

/** The flags of each command, in the order of its help. */
export const COMMAND_FLAGS = {
  get: [
    ...CLIENT,
    ...FETCH,
    { name: 'format', value: 'FORMAT', group: 'output', help: 'token (default), json, header or curl' },
    { name: 'fresh', group: 'output', help: 'only a token asked for after this call began' },
    ...VERBOSE,
  ],
  env: [
    ...CLIENT,
    ...FETCH,
    {
      name: 'format',
      value: 'FORMAT',
      group: 'output',
      help: 'sh (default), fish, csh, powershell, cmd, nu, elvish, json, dotenv, docker, github-env, github-output or azure',
    },
    flags.prefix,
    { name: 'unset', group: 'output', help: 'remove the variables; needs no client' },
    ...VERBOSE,
  ],
  exec: [
    ...CLIENT,
    ...FETCH,
    flags.prefix,
    {
      name: 'token-file',
      group: 'output',
      help: 'also keep a valid token in a file, named in GWTOKEN_TOKEN_FILE',
    },
    ...VERBOSE,
  ],
  login: [
    ...CLIENT,
    {
      name: 'client-id',
      value: 'ID',
      group: 'client',
      help: 'the client id (asked for on a terminal when missing)',
    },
    { name: 'secret-stdin', group: 'client', help: 'read the client secret from stdin' },
    { name: 'verify', negative: 'only', group: 'client', help: 'store without fetching a token first' },
    ...FETCH,
    ...VERBOSE,
  ],
  logout: [
    ...CLIENT,
    { name: 'all', group: 'client', help: 'every known client' },
    { name: 'yes', short: 'y', group: 'general', help: 'do not ask' },
    ...VERBOSE,
  ],
  status: [
    ...CLIENT,
    ...FETCH,
    {
      name: 'check',
      group: 'general',
      help: 'read the credentials and ask the endpoint with them',
    },
    JSON_OUTPUT,
    ...VERBOSE,
  ],
  doctor: [...CLIENT, ...FETCH, JSON_OUTPUT, ...VERBOSE],
  config: [
    { name: 'profile', short: 'p', value: 'NAME', group: 'client', help: 'the keys of this profile alone' },
    ...VERBOSE,
  ],
  plain: VERBOSE,
} as const satisfies Record<string, readonly Flag[]>;

export type CommandName = keyof typeof COMMAND_FLAGS;
