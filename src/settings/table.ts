/** The table of all settings. Flags, help, variables, config keys, completion and documents come from it. */
import { DEFAULT_PROFILE, type Environment, REGIONS, type Region } from '../client';
import { usage } from '../errors';
import { duration, listOf, quoted, similarWords } from '../text';
import type { Config, Env, StoredClient } from '../world';
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
} from './values';

/** The place that a value comes from. */
export interface Source {
  readonly kind: 'flag' | 'variable' | 'config' | 'stored' | 'default';
  /** Name in messages: `--region`, `GWTOKEN_REGION`, `region in ~/.config/gwtoken/config.json`. */
  readonly name: string;
  /** Hint that takes the value away from this place: `unset GWTOKEN_REGION`; empty if nothing can. */
  readonly undo: string;
}

/** A resolved setting. */
export interface Setting<T> {
  readonly value: T;
  /** The unparsed value, in which a URL may contain `{region}`; empty for a default. */
  readonly text: string;
  readonly source: Source;
}

/** All places that settings can come from. */
export interface SettingSources {
  readonly flags: FlagValues;
  readonly env: Env;
  readonly config: Config;
  /** Returns the list of stored clients. A setting reads it only if no other place has a value. */
  stored(): Readonly<Record<string, StoredClient>>;
  /** Warnings of keys in the config file that mean nothing, perhaps those of a later version. */
  readonly unknownKeys: readonly string[];
  /** Returns whether hints name environment variables instead of `gwtoken login`. Only errors need it. */
  isHeadless(): boolean;
}

/** Flags that were given, by their long name: `{region: 'eu', sandbox: false}` for `-r eu --no-sandbox`. */
export type FlagValues = Partial<Readonly<Record<ValueFlag, string> & Record<Switch, boolean>>>;

type ValueFlag =
  | 'region'
  | 'profile'
  | 'auth-url'
  | 'min-ttl'
  | 'timeout'
  | 'retries'
  | 'ca-file'
  | 'format'
  | 'output'
  | 'prefix'
  | 'variable'
  | 'token-file'
  | 'client-id';

/** `cache` and `verify` have only the form `--no-NAME`, which is false here. */
type Switch =
  | 'sandbox'
  | 'cache'
  | 'json'
  | 'fresh'
  | 'unset'
  | 'secret-stdin'
  | 'verify'
  | 'all'
  | 'yes'
  | 'verbose';

/** A row of the table. */
export interface SettingDefinition<T> {
  /** Name in messages; absent if it is the key. */
  readonly name?: string;
  /** Key in the config file: `min-ttl`. Flag and variable derive from it: `--min-ttl`, `GWTOKEN_MIN_TTL`. */
  readonly key: string;
  /**
   * How far a value reaches: one per user, one per profile in the config file, or one per client. A client's
   * value can name its region: key `auth-url.eu`, variable `GWTOKEN_AUTH_URL_EU`.
   */
  readonly scope: 'user' | 'profile' | 'client';
  /** The environment variable: derived from the key, none, or one with its own name and parser. */
  readonly variable: 'derived' | 'none' | { readonly name: string; parse(text: string, where: string): T };
  /** Parses a value. Throws `usage` with the value, its source `where` and the allowed values. */
  parse(text: string, where: string, region?: Region): T;
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
    scope: 'profile',
    variable: 'derived',
    parse: parseRegion,
    flags: { [`-r, --region <${REGIONS.join('|')}>`]: 'region of the client' },
    values: REGIONS,
  } satisfies SettingDefinition<Region>,
  environment: {
    name: 'environment',
    key: 'sandbox',
    scope: 'profile',
    variable: 'derived',
    parse: (text, where): Environment => (parseSwitch(text, where, 'sandbox') ? 'sandbox' : 'production'),
    flags: {
      '--sandbox': 'use the sandbox instead of production',
      '--no-sandbox': 'use production even if the settings say sandbox',
    },
    values: ['true', 'false'],
    fallback: 'production',
  } satisfies SettingDefinition<Environment>,
  profile: {
    key: 'profile',
    scope: 'user',
    variable: 'derived',
    parse: parseProfile,
    flags: { '-p, --profile <NAME>': 'profile (a named set of clients)' },
    fallback: DEFAULT_PROFILE,
  } satisfies SettingDefinition<string>,
  authUrl: {
    name: 'auth URL',
    key: 'auth-url',
    scope: 'client',
    variable: 'derived',
    parse: parseAuthUrl,
    flags: { '--auth-url <URL>': `auth URL; {region} becomes ${listOf(REGIONS)}` },
    ofStored: ({ authUrl }) => authUrl,
  } satisfies SettingDefinition<string>,
  apiUrl: {
    name: 'API URL',
    key: 'api-url',
    scope: 'client',
    // gwtoken sends tokens to this URL, so an unrelated variable must not change it.
    variable: 'none',
    parse: parseApiUrl,
  } satisfies SettingDefinition<string>,
};

/** Settings for getting a token: the request, the cache, and where credentials come from. */
export const FETCH_SETTINGS = {
  minTtlMs: {
    key: 'min-ttl',
    scope: 'profile',
    variable: 'derived',
    parse: parseDurationMs,
    flags: { '--min-ttl <DURATION>': 'minimum lifetime left: 90, 90s, 5m, 1h' },
    show: duration,
  } satisfies SettingDefinition<number>,
  timeoutMs: {
    key: 'timeout',
    scope: 'profile',
    variable: 'derived',
    parse: parseTimeoutMs,
    flags: { '--timeout <DURATION>': 'timeout per attempt (all together: three times that)' },
    fallback: 10_000,
    show: duration,
  } satisfies SettingDefinition<number>,
  retries: {
    key: 'retries',
    scope: 'profile',
    variable: 'derived',
    parse: parseRetries,
    flags: { '--retries <N>': 'retries after a failed attempt (default: 2)' },
    fallback: 2,
  } satisfies SettingDefinition<number>,
  cache: {
    key: 'cache',
    scope: 'user',
    variable: { name: 'GWTOKEN_NO_CACHE', parse: (text, where) => !parseSwitch(text, where, 'no-cache') },
    parse: (text, where) => parseSwitch(text, where, 'cache', 'on', 'off'),
    flags: { '--no-cache': 'do not use the token cache' },
    values: ['on', 'off'],
    fallback: true,
    show: (on) => (on ? 'on' : 'off'),
  } satisfies SettingDefinition<boolean>,
  caFile: {
    key: 'ca-file',
    scope: 'profile',
    variable: 'derived',
    parse: (text, where) => parseText(text, where, 'ca-file'),
    flags: { '--ca-file <FILE>': 'extra CA certificates (PEM file)' },
    isPath: true,
  } satisfies SettingDefinition<string>,
  keychainTimeoutMs: {
    key: 'keychain-timeout',
    scope: 'user',
    variable: 'derived',
    parse: parseTimeoutMs,
    show: duration,
  } satisfies SettingDefinition<number>,
  credentialCommand: {
    key: 'credential-command',
    scope: 'profile',
    variable: 'none',
    parse: (text, where) => parseText(text, where, 'credential-command'),
    // The command may contain a password, so its text is not shown.
    show: () => 'set',
  } satisfies SettingDefinition<string>,
};

export const SETTINGS = { ...CLIENT_SETTINGS, ...FETCH_SETTINGS };

/** A resolved setting, which may be undefined if it has no default. */
export type Resolved<Row extends SettingDefinition<unknown>> =
  | Setting<ReturnType<Row['parse']>>
  | (Row extends { readonly fallback: unknown } ? never : undefined);

/** Returns the variable for a key of the setting: `GWTOKEN_AUTH_URL_EU` for `auth-url.eu`. */
export function variableOf({ variable }: SettingDefinition<unknown>, key: string): string | undefined {
  if (variable === 'none') return undefined;
  return variable === 'derived' ? variableSpelling(key) : variable.name;
}

/** Returns the variable that is derived from a key, even if the setting has no variable. */
export function variableSpelling(key: string): string {
  return `GWTOKEN_${key.toUpperCase().replace(/\W/g, '_')}`;
}

/** Returns all keys of a setting in the config file. */
export function allKeys({ key, scope }: SettingDefinition<unknown>): readonly string[] {
  return scope === 'client' ? [key, ...REGIONS.map((region) => `${key}.${region}`)] : [key];
}

/** Returns the keys that hold for this region, in order of precedence. */
export function keysFor({ key, scope }: SettingDefinition<unknown>, region?: Region): readonly string[] {
  return scope === 'client' && region ? [`${key}.${region}`, key] : [key];
}

export const ROWS: readonly SettingDefinition<unknown>[] = Object.values(SETTINGS);

export function configKeys(): readonly string[] {
  return ROWS.flatMap(allKeys);
}

export function settingOf(key: string): SettingDefinition<unknown> | undefined {
  return ROWS.find((row) => allKeys(row).includes(key));
}

const COMMAND_LINE = 'the command line';

/** Returns whether the key can be set, for this profile or in general. */
export function isConfigKey(key: string, profile?: string): boolean {
  const row = settingOf(key);
  return row !== undefined && (profile === undefined || row.scope !== 'user');
}

/** Returns the setting of a typed key. Throws `usage` if {@link isConfigKey} rejects it. */
export function checkConfigKey(key: string, profile?: string): SettingDefinition<unknown> {
  const row = settingOf(key);
  if (row && isConfigKey(key, profile)) return row;
  if (row) throw usage(`${key} cannot be set per profile`, { reason: 'not-per-profile' });
  const name = key.replace(/^GWTOKEN_/i, '');
  const [meant, ...others] = similarWords(name.toLowerCase().replaceAll('_', '-'), configKeys());
  throw usage(`unknown config key ${quoted(key.replace(/=.*/s, ''))} (from ${COMMAND_LINE})`, {
    reason: 'unknown-key',
    isCredential: /secret|client|password|token/i.test(name),
    meant: others.length === 0 ? meant : undefined,
  });
}

/** Throws `usage` for a key or value that `config set KEY VALUE` rejects. */
export function checkConfigValue(key: string, text: string, profile?: string): void {
  const region = REGIONS.find((each) => key.endsWith(`.${each}`));
  checkConfigKey(key, profile).parse(text, COMMAND_LINE, region);
}
