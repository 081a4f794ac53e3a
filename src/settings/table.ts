/** The table of all settings. Flags, help, variables, config keys, completion and documents come from it. */
import { type Client, DEFAULT_PROFILE, type Environment, profileFlag, REGIONS, type Region } from '../client';
import { usage } from '../errors';
import type { Surroundings } from '../surroundings';
import { duration, listOf, quoted, similarWords } from '../text';
import type { Config, StoredClient } from '../world';
import {
  parseApiUrl,
  parseAuthUrl,
  parseDurationMs,
  parseProfile,
  parseRegion,
  parseRetries,
  parseSwitch,
  parseText,
  parseTimeoutMs,
  type Where,
} from './values';

export interface SettingSource {
  readonly kind: 'flag' | 'variable' | 'config' | 'stored' | 'default';
  /** Name in messages: `--region`, `GWTOKEN_REGION`, `region in ~/.config/gwtoken/config.json`. */
  readonly name: string;
  /** Key in the config file, and the profile that has it, if it is not a general one. */
  readonly key?: string;
  readonly profile?: string | undefined;
}

export interface Setting<T> {
  readonly value: T;
  /** The unparsed value, in which a URL may contain `{region}`; empty for a default. */
  readonly text: string;
  readonly source: SettingSource;
}

/** Returns whether a value comes from a flag or variable, and so may not hold for the next command. */
export function isForThisRun({ source: { kind } }: Pick<Setting<unknown>, 'source'>): boolean {
  return kind === 'flag' || kind === 'variable';
}

/** Returns the step that takes a value away from its flag, its variable or the config file. */
export function undoStep({ kind, name, key, profile }: SettingSource): string {
  if (key !== undefined) return `run: ${unsetLine(key, profile)}`;
  return `${kind === 'flag' ? 'omit' : 'unset'} ${name}`;
}

export function unsetLine(key: string, profile: string | undefined): string {
  return `gwtoken config unset ${key}${profile === undefined ? '' : ` --profile ${profile}`}`;
}

/** Returns the command that sets a client's auth URL in the config file. */
export function setAuthUrlLine({ region, profile }: Client): string {
  return `gwtoken config set auth-url.${region} URL${profileFlag(profile)}`;
}

export interface Places extends Surroundings {
  readonly flags: FlagValues;
  readonly config: Config;
  /** Returns the list of stored clients. A setting reads it only if no other place has a value. */
  stored(): Readonly<Record<string, StoredClient>>;
}

/**
 * The settings of one command, beside the places that they come from. Each is resolved once, when it is first
 * read. Reading one throws `usage` if its value is invalid.
 */
export type Settings = Places & {
  readonly [Name in keyof typeof SETTINGS]: Resolved<(typeof SETTINGS)[Name]>;
} & {
  /** The selected client. Reading it throws `usage` if no region is set. */
  readonly client: Client;
};

type SettingFlag = 'region' | 'profile' | 'auth-url' | 'min-ttl' | 'timeout' | 'retries' | 'ca-file';
type CommandFlag = 'format' | 'output' | 'prefix' | 'variable' | 'token-file' | 'client-id';
/** `cache` and `verify` have only the form `--no-NAME`, which is false. */
type SettingSwitch = 'sandbox' | 'cache';
type CommandSwitch = 'json' | 'unset' | 'fresh' | 'secret-stdin' | 'verify' | 'all' | 'yes' | 'verbose';

/** Flags that were given, by their long name: `{region: 'eu', sandbox: false}` for `-r eu --no-sandbox`. */
export type FlagValues = { readonly [Name in SettingFlag | CommandFlag]?: string | undefined } & {
  readonly [Name in SettingSwitch | CommandSwitch]?: boolean | undefined;
};

export interface SettingRow<T> {
  /** Name in messages; absent if it is the key. */
  readonly name?: string;
  /** Key in the config file: `min-ttl`. Flag and variable derive from it: `--min-ttl`, `GWTOKEN_MIN_TTL`. */
  readonly key: string;
  /**
   * How far a value reaches: one per user, one per profile in the config file, or one per client. A client's
   * value can name its region: key `auth-url.eu`, variable `GWTOKEN_AUTH_URL_EU`.
   */
  readonly reach: 'user' | 'profile' | 'client';
  /** The environment variable: none, or one with its own parser; absent if its name derives from the key. */
  readonly variable?: 'none' | { readonly name: string; parse(text: string, where: Where): T };
  /** Parses a value. Throws `usage` with the value, its source `where` and the allowed values. */
  parse(text: string, where: Where, region?: Region): T;
  /** Help texts by the flag's `spec` of commands/flags.ts; absent if the setting has no flag. */
  readonly flags?: Readonly<Record<string, string>>;
  /** Returns the value of a stored client, which holds if no other place has one. */
  ofStored?(client: StoredClient): string;
  /** All values, for completion; absent if there are too many. */
  readonly values?: readonly string[];
  /** The default; absent if the setting can stay undefined or its default varies. */
  readonly fallback?: T;
  /** Formats a value for messages; absent if String() does. */
  show?(value: T): string;
  /** True if the value is the path of a file; `config set` stores it as an absolute path. */
  readonly isPath?: true;
}

/** Settings that name a client, and the URLs that depend on it. */
export const CLIENT_SETTINGS = {
  region: {
    key: 'region',
    reach: 'profile',
    parse: parseRegion,
    flags: { [`-r, --region <${REGIONS.join('|')}>`]: 'region of the client' },
    values: REGIONS,
  } satisfies SettingRow<Region>,
  environment: {
    name: 'environment',
    key: 'sandbox',
    reach: 'profile',
    parse: (text, where): Environment => (parseSwitch(text, where, 'sandbox') ? 'sandbox' : 'production'),
    flags: {
      '--sandbox': 'use the sandbox instead of production',
      '--no-sandbox': 'use production even if the settings say sandbox',
    },
    values: ['true', 'false'],
    fallback: 'production',
  } satisfies SettingRow<Environment>,
  profile: {
    key: 'profile',
    reach: 'user',
    parse: parseProfile,
    flags: { '-p, --profile <NAME>': 'profile (a named set of clients)' },
    fallback: DEFAULT_PROFILE,
  } satisfies SettingRow<string>,
  authUrl: {
    name: 'auth URL',
    key: 'auth-url',
    reach: 'client',
    parse: parseAuthUrl,
    flags: { '--auth-url <URL>': `auth URL; {region} becomes ${listOf(REGIONS)}` },
    ofStored: ({ authUrl }) => authUrl,
  } satisfies SettingRow<string>,
  apiUrl: {
    name: 'API URL',
    key: 'api-url',
    reach: 'client',
    // gwtoken sends tokens to this URL, so an unrelated variable must not change it.
    variable: 'none',
    parse: parseApiUrl,
  } satisfies SettingRow<string>,
};

const DEFAULT_RETRIES = 2;

/** Settings for getting a token: the request, the cache, and where credentials come from. */
export const FETCH_SETTINGS = {
  minTtlMs: {
    key: 'min-ttl',
    reach: 'profile',
    parse: parseDurationMs,
    flags: { '--min-ttl <DURATION>': 'minimum lifetime left: 90, 90s, 5m, 1h' },
    show: duration,
  } satisfies SettingRow<number>,
  timeoutMs: {
    key: 'timeout',
    reach: 'profile',
    parse: parseTimeoutMs,
    flags: { '--timeout <DURATION>': 'timeout per attempt (all together: three times that)' },
    fallback: 10_000,
    show: duration,
  } satisfies SettingRow<number>,
  retries: {
    key: 'retries',
    reach: 'profile',
    parse: parseRetries,
    flags: { '--retries <N>': `retries after a failed attempt (default: ${DEFAULT_RETRIES})` },
    fallback: DEFAULT_RETRIES,
  } satisfies SettingRow<number>,
  cache: {
    key: 'cache',
    reach: 'user',
    variable: { name: 'GWTOKEN_NO_CACHE', parse: (text, where) => !parseSwitch(text, where, 'no-cache') },
    parse: (text, where) => parseSwitch(text, where, 'cache', 'on', 'off'),
    flags: { '--no-cache': 'do not use the token cache' },
    values: ['on', 'off'],
    fallback: true,
    show: (on) => (on ? 'on' : 'off'),
  } satisfies SettingRow<boolean>,
  caFile: {
    key: 'ca-file',
    reach: 'profile',
    parse: (text, where) => parseText(text, where, 'ca-file'),
    flags: { '--ca-file <FILE>': 'extra CA certificates (PEM file)' },
    isPath: true,
  } satisfies SettingRow<string>,
  keychainTimeoutMs: {
    key: 'keychain-timeout',
    reach: 'user',
    parse: parseTimeoutMs,
    show: duration,
  } satisfies SettingRow<number>,
  credentialCommand: {
    key: 'credential-command',
    reach: 'profile',
    variable: 'none',
    parse: (text, where) => parseText(text, where, 'credential-command'),
    // The command may contain a password, so its text is not shown.
    show: () => 'set',
  } satisfies SettingRow<string>,
};

export const SETTINGS = { ...CLIENT_SETTINGS, ...FETCH_SETTINGS };

/** A resolved setting, which may be undefined if it has no default. */
type Resolved<Row extends SettingRow<unknown>> =
  | Setting<ReturnType<Row['parse']>>
  | (Row extends { readonly fallback: unknown } ? never : undefined);

/** Returns the variable for a key of the setting: `GWTOKEN_AUTH_URL_EU` for `auth-url.eu`. */
export function variableOf({ variable }: SettingRow<unknown>, key: string): string | undefined {
  if (variable === 'none') return undefined;
  return variable?.name ?? variableSpelling(key);
}

/** Returns the variable that is derived from a key, even if the setting has no variable. */
export function variableSpelling(key: string): string {
  return `GWTOKEN_${key.toUpperCase().replace(/\W/g, '_')}`;
}

export function allKeys({ key, reach }: SettingRow<unknown>): readonly string[] {
  return reach === 'client' ? [key, ...REGIONS.map((region) => `${key}.${region}`)] : [key];
}

export const ROWS: readonly SettingRow<unknown>[] = Object.values(SETTINGS);

export function configKeys(): readonly string[] {
  return ROWS.flatMap(allKeys);
}

export function rowOf(key: string): SettingRow<unknown> | undefined {
  return ROWS.find((row) => allKeys(row).includes(key));
}

/** Returns the row of a key. Throws `usage` if the key cannot be set, for this profile or in general. */
export function checkConfigKey(key: string, profile?: string): SettingRow<unknown> {
  const row = rowOf(key);
  if (row?.reach === 'user' && profile !== undefined)
    throw usage(`${key} cannot be set per profile`, ['omit --profile']);
  if (row) return row;
  const name = key.replace(/^GWTOKEN_/i, '');
  const problem = `unknown config key ${quoted(key.replace(/=.*/s, ''))}`;
  if (/secret|client|password|token/i.test(name))
    throw usage(problem, ['to store credentials, run: gwtoken login']);
  const meant = listOf(similarWords(name.toLowerCase().replaceAll('_', '-'), configKeys()));
  throw usage(problem, [meant ? `did you mean: ${meant}` : 'for all keys, run: gwtoken help settings']);
}

/** Returns the row of a key. Throws `usage` for a key or value that `config set KEY VALUE` rejects. */
export function checkConfigValue(key: string, text: string, profile?: string): SettingRow<unknown> {
  const row = checkConfigKey(key, profile);
  const region = REGIONS.find((each) => key.endsWith(`.${each}`));
  row.parse(text, undefined, region);
  return row;
}
