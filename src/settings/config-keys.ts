/** The keys of the config file (contract section 2). What each takes is settings/config-values.ts. */
import { GwtokenError } from '../errors';

/** Each key, and whether a profile can have its own value of it. */
export const CONFIG_KEYS = {
  region: true,
  sandbox: true,
  profile: false,
  'auth-url': true,
  'auth-url.eu': true,
  'auth-url.us': true,
  'sandbox.auth-url': true,
  'sandbox.auth-url.eu': true,
  'sandbox.auth-url.us': true,
  'min-ttl': true,
  timeout: true,
  retries: true,
  cache: false,
  'ca-file': true,
  'keychain-timeout': false,
  'credential-command': true,
} as const satisfies Record<string, boolean>;

export type ConfigKeyName = keyof typeof CONFIG_KEYS;

/** Throws a `usage` error for a key that does not exist, or that a profile cannot have. */
export function checkConfigKey(key: string, where: string, profile?: string): asserts key is ConfigKeyName {
  if (!Object.hasOwn(CONFIG_KEYS, key)) {
    throw new GwtokenError('usage', `unknown config key ${JSON.stringify(key)} (from ${where})`, {
      hints: [
        ...(/secret|client|password|token/i.test(key) ? ['credentials are stored by: gwtoken login'] : []),
        `the keys are: ${Object.keys(CONFIG_KEYS).join(', ')}`,
        ...(where === 'the command line' ? [] : [`remove it: ${unsetCommand(key, profile)}`]),
      ],
    });
  }
  if (profile !== undefined && !CONFIG_KEYS[key as ConfigKeyName]) {
    throw new GwtokenError('usage', `config key ${key} cannot be set for one profile (${profile})`, {
      hints: [
        where === 'the command line'
          ? `run it without --profile: gwtoken config set ${key} VALUE`
          : `remove it: ${unsetCommand(key, profile)}`,
      ],
    });
  }
}

function unsetCommand(key: string, profile: string | undefined): string {
  return `gwtoken config unset ${key}${profile === undefined ? '' : ` --profile ${profile}`}`;
}
