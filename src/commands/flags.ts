/** The flags that several commands share, and those of the two commands that cli/quick.ts can answer. */
import { ENV_FORMAT_NAMES } from '../formats/env-formats';
import { GET_FORMAT_NAMES } from '../formats/get-formats';
import { DEFAULT_PREFIX } from '../formats/token-variables';
import { CLIENT_SETTINGS, FETCH_SETTINGS, SETTINGS, type SettingRow } from '../settings/table';

export interface Flag {
  /** Its names, and its value if it takes one: `-r, --region <eu|us>`. `<FILE>` stands for any file. */
  readonly spec: string;
  readonly help: string;
  /** Heading in the help. */
  readonly group: 'Client:' | 'Request:' | 'Output:' | 'General:';
  /** Words for its value, for completion. */
  readonly values?: readonly string[] | undefined;
  /** The setting that the flag sets; a variable and a key of the config file can set it as well. */
  readonly row?: SettingRow<unknown>;
}

export function flag(group: Flag['group'], spec: string, help: string): Flag {
  return { spec, help, group };
}

/** Returns `-r` and `--region` for the spec `-r, --region <eu|us>`. */
function namesIn(spec: string): readonly string[] {
  return spec.replace(/ <.*/, '').split(', ');
}

/** Returns `--region` for the spec `-r, --region <eu|us>`. */
export function longName({ spec }: Flag): string {
  return namesIn(spec).at(-1)!;
}

export function flagNamed(name: string, flags: readonly Flag[]): Flag | undefined {
  return flags.find(({ spec }) => namesIn(spec).includes(name));
}

export function takesValue(spec: string): boolean {
  return spec.includes('<');
}

/** Flags of every command that works on one client. */
export const CLIENT_FLAGS = settingFlags('Client:', CLIENT_SETTINGS);
/** Flags that name a client, for a command that sends nothing to its auth URL. */
export const CLIENT_NAME_FLAGS = CLIENT_FLAGS.filter(({ row }) => row !== SETTINGS.authUrl);
/** Flags of every command that may request a token. */
export const FETCH_FLAGS = settingFlags('Request:', FETCH_SETTINGS);

function settingFlags(
  group: Flag['group'],
  rows: Readonly<Record<string, SettingRow<unknown>>>,
): readonly Flag[] {
  return Object.values(rows).flatMap((row) =>
    Object.entries(row.flags ?? {}).map(([spec, help]) => ({ spec, help, group, values: row.values, row })),
  );
}

const VERBOSE = flag('General:', '-v, --verbose', 'print details to stderr');
export const VERSION = flag('General:', '-V, --version', 'print the version');
export const HELP = flag('General:', '-h, --help', 'show this help');
export const COMMON_FLAGS = [VERBOSE, VERSION, HELP];
export const JSON_OUTPUT = flag('Output:', '--json', 'print JSON');
export const PREFIX = flag(
  'Output:',
  '--prefix <PREFIX>',
  `prefix of the variable names (default: ${DEFAULT_PREFIX})`,
);
export const VARIABLE = flag('Output:', '--variable <NAME>', 'set only the variable NAME, to the token');
const OUTPUT = flag('Output:', '--output <FILE>', 'write to a file that only you can read (-: stdout)');
export const FRESH = flag('Request:', '--fresh', 'request a new token instead of using a cached one');

function formatFlag(formats: readonly string[], notes: Readonly<Record<string, string>>): Flag {
  const list = formats.map((name) => (notes[name] === undefined ? name : `${name} (${notes[name]})`));
  return { ...flag('Output:', '--format <FORMAT>', `output format: ${list.join(', ')}`), values: formats };
}

export const GET_FLAGS: readonly Flag[] = [
  ...CLIENT_FLAGS,
  ...FETCH_FLAGS,
  formatFlag(GET_FORMAT_NAMES, {
    token: 'default',
    header: 'for curl -H @-',
    headers: 'a JSON object',
    curl: 'for curl -K -',
    'credential-helper': 'for Bazel',
  }),
  JSON_OUTPUT,
  OUTPUT,
  FRESH,
];

export const ENV_FLAGS: readonly Flag[] = [
  ...CLIENT_FLAGS,
  ...FETCH_FLAGS,
  formatFlag(ENV_FORMAT_NAMES, { sh: 'default' }),
  PREFIX,
  VARIABLE,
  OUTPUT,
  FRESH,
  flag('Output:', '--unset', 'unset the variables instead'),
];
