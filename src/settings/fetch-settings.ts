/** The settings that every command which may fetch a token has, beside those that name the client. */

import { DEFAULT, fromConfig, fromFlag, fromGeneral, fromVariable, read } from './lookup';
import type { Given, Setting } from './setting';
import {
  parseDurationMs,
  parseOnOff,
  parseRetries,
  parseSwitch,
  parseText,
  parseTimeLimitMs,
} from './values';

/** How long things may take and what may be used on the way to a token. */
export interface FetchSettings {
  /** Undefined: the smaller of 300 s and a fifth of the token's lifetime. */
  readonly minTtlMs: Setting<number> | undefined;
  readonly timeoutMs: Setting<number>;
  readonly retries: Setting<number>;
  readonly cache: Setting<boolean>;
  readonly caFile: Setting<string> | undefined;
  /** Undefined: 60 s where a person can answer a dialog, else 10 s. */
  readonly keychainTimeoutMs: Setting<number> | undefined;
  readonly credentialCommand: Setting<string> | undefined;
}

const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_RETRIES = 2;

export function resolveFetchSettings({ flags, env, config }: Given, profile: string): FetchSettings {
  const value = <T>(name: string, parse: (text: string, where: string) => T): Setting<T> | undefined =>
    read(
      fromFlag(flags, name) ??
        fromVariable(env, `GWTOKEN_${name.toUpperCase().replaceAll('-', '_')}`) ??
        fromConfig(config, profile, [name]),
      parse,
    );
  return {
    minTtlMs: value('min-ttl', parseDurationMs),
    timeoutMs: value('timeout', parseTimeLimitMs) ?? { value: DEFAULT_TIMEOUT_MS, source: DEFAULT },
    retries: value('retries', parseRetries) ?? { value: DEFAULT_RETRIES, source: DEFAULT },
    cache: resolveCache({ flags, env, config }),
    caFile: value('ca-file', parseText),
    keychainTimeoutMs: resolveKeychainTimeoutMs({ env, config }),
    credentialCommand: read(fromConfig(config, profile, ['credential-command']), parseText),
  };
}

/** Undefined: 60 s where a person can answer a dialog, else 10 s. */
export function resolveKeychainTimeoutMs({
  env,
  config,
}: Pick<Given, 'env' | 'config'>): Setting<number> | undefined {
  return read(
    fromVariable(env, 'GWTOKEN_KEYCHAIN_TIMEOUT') ?? fromGeneral(config, 'keychain-timeout'),
    parseTimeLimitMs,
  );
}

function resolveCache({ flags, env, config }: Given): Setting<boolean> {
  if (flags['cache'] === false) return { value: false, source: { kind: 'flag', name: '--no-cache' } };
  const off = read(fromVariable(env, 'GWTOKEN_NO_CACHE'), parseSwitch);
  if (off) return { value: !off.value, source: off.source };
  return read(fromGeneral(config, 'cache'), parseOnOff) ?? { value: true, source: DEFAULT };
}
