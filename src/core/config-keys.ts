/** The keys of the config file (contract section 2): what each takes, and whether a profile can have its own. */
import { GwtokenError } from '../errors';
import { checkProfile, type Region } from './clients';
import {
  parseAuthUrl,
  parseDurationMs,
  parseOnOff,
  parseRegion,
  parseRetries,
  parseSwitch,
  parseText,
  parseTimeLimitMs,
} from './setting-values';

interface ConfigKey {
  readonly perProfile: boolean;
  /** Checks the text and gives what is stored: booleans and numbers as such, everything else as it was written. */
  store(text: string, where: string): string | number | boolean;
}

const asWritten =
  (check: (text: string, where: string) => unknown) =>
  (text: string, where: string): string => {
    check(text, where);
    return text;
  };

const authUrl = (region: Region): ConfigKey => ({
  perProfile: true,
  store: asWritten((text, where) => parseAuthUrl(text, where, region)),
});

export const CONFIG_KEYS: Readonly<Record<string, ConfigKey>> = {
  region: { perProfile: true, store: parseRegion },
  sandbox: { perProfile: true, store: parseSwitch },
  profile: { perProfile: false, store: checkProfile },
  'auth-url': authUrl('eu'),
  'auth-url.eu': authUrl('eu'),
  'auth-url.us': authUrl('us'),
  'sandbox.auth-url': authUrl('eu'),
  'sandbox.auth-url.eu': authUrl('eu'),
  'sandbox.auth-url.us': authUrl('us'),
  'min-ttl': { perProfile: true, store: asWritten(parseDurationMs) },
  timeout: { perProfile: true, store: asWritten(parseTimeLimitMs) },
  retries: { perProfile: true, store: parseRetries },
  cache: { perProfile: false, store: (text, where) => (parseOnOff(text, where) ? 'on' : 'off') },
  'ca-file': { perProfile: true, store: asWritten(parseText) },
  'keychain-timeout': { perProfile: false, store: asWritten(parseTimeLimitMs) },
  'credential-command': { perProfile: true, store: asWritten(parseText) },
};

/** Throws a `usage` error for a key that does not exist, or that a profile cannot have. */
export function checkConfigKey(key: string, where: string, profile?: string): void {
  const known = Object.hasOwn(CONFIG_KEYS, key) ? CONFIG_KEYS[key] : undefined;
  if (!known) {
    throw new GwtokenError('usage', `unknown config key ${JSON.stringify(key)} (from ${where})`, {
      hints: [
        ...(/secret|client|password|token/i.test(key) ? ['credentials are stored by: gwtoken login'] : []),
        `the keys are: ${Object.keys(CONFIG_KEYS).join(', ')}`,
        ...(where === 'the command line' ? [] : [`remove it: ${unsetCommand(key, profile)}`]),
      ],
    });
  }
  if (profile !== undefined && !known.perProfile) {
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

/** What `config set KEY VALUE` stores for the text of VALUE. */
export function configValue(key: string, text: string, where: string): string | number | boolean {
  return CONFIG_KEYS[key]!.store(text, where);
}
