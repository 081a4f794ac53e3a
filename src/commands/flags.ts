import { GET_FORMATS } from '../formats/get';
import { ENV_FORMATS } from '../formats/names';
import { CLIENT_SETTINGS, FETCH_SETTINGS, type SettingDefinition } from '../settings/table';

/** A flag as data, for commander's program, completion and the quick path alike. */
export interface Flag {
  readonly name: string;
  readonly short?: string;
  /** Name of the value in help; a flag without one is a switch. */
  readonly value?: string;
  /** The form `--no-NAME`: the only one, or one beside `--NAME`, with a help of its own. */
  readonly negative?: 'only' | { readonly help: string };
  readonly help: string;
  readonly group: 'client' | 'fetch' | 'output' | 'general';
  /** Setting that the flag sets; a variable and a key of the config file can set it as well. */
  readonly setting?: SettingDefinition<unknown>;
}

/** Returns the flag as it is typed: `--name`, `--no-name`, or both. */
export function spellings({ name, negative }: Flag): readonly string[] {
  return [...(negative === 'only' ? [] : [`--${name}`]), ...(negative === undefined ? [] : [`--no-${name}`])];
}

/** Tells if a word of the command line is the flag: `--name`, `--no-name` or `-n`. */
export function isSpelling(word: string, flag: Flag): boolean {
  return spellings(flag).includes(word) || (flag.short !== undefined && word === `-${flag.short}`);
}

/** Returns the help for one spelling of the flag. */
export function helpOf({ help, negative }: Flag, spelling: string): string {
  return typeof negative === 'object' && spelling.startsWith('--no-') ? negative.help : help;
}

/** Flags of every command that works on one client. */
export const CLIENT_FLAGS = settingFlags('client', CLIENT_SETTINGS);
/** Flags that name a client, for a command that sends nothing to its auth URL. */
export const NAMING_FLAGS = CLIENT_FLAGS.filter(({ name }) => name !== 'auth-url');
/** Flags of every command that may request a token. */
export const FETCH_FLAGS = settingFlags('fetch', FETCH_SETTINGS);

function settingFlags(
  group: Flag['group'],
  settings: Readonly<Record<string, SettingDefinition<unknown>>>,
): readonly Flag[] {
  const flags: Flag[] = [];
  for (const setting of Object.values(settings)) {
    if (setting.flag) flags.push({ name: setting.key, group, setting, ...setting.flag });
  }
  return flags;
}

export const VERBOSE: Flag = {
  name: 'verbose',
  short: 'v',
  group: 'general',
  help: 'print details to stderr',
};
export const JSON_OUTPUT: Flag = { name: 'json', group: 'output', help: 'print JSON' };
export const PREFIX: Flag = {
  name: 'prefix',
  value: 'PREFIX',
  group: 'output',
  help: 'prefix of the variable names (default: GWTOKEN_)',
};

export const FRESH: Flag = {
  name: 'fresh',
  group: 'output',
  help: 'request a new token instead of using a cached one',
};

function formatFlag(formats: readonly string[]): Flag {
  return {
    name: 'format',
    value: 'FORMAT',
    group: 'output',
    help: `output format: ${formats.join(', ').replace(',', ' (default),')}`,
  };
}

/** What stands for stdout in the place of the FILE of `get --output`. */
export const STDOUT = '-';

/** Flags of the two commands that cli/quick.ts can answer; the other commands have theirs themselves. */
export const QUICK_FLAGS: Readonly<Record<'get' | 'env', readonly Flag[]>> = {
  get: [
    ...CLIENT_FLAGS,
    ...FETCH_FLAGS,
    formatFlag(GET_FORMATS),
    JSON_OUTPUT,
    {
      name: 'output',
      value: 'FILE',
      group: 'output',
      help: 'write to a file that only you can read (-: stdout)',
    },
    FRESH,
    VERBOSE,
  ],
  env: [
    ...CLIENT_FLAGS,
    ...FETCH_FLAGS,
    formatFlag(ENV_FORMATS),
    PREFIX,
    FRESH,
    { name: 'unset', group: 'output', help: 'unset the variables instead' },
    VERBOSE,
  ],
};
