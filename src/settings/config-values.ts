/** What `config set` takes for each key, and what it stores. A file of its own, since no other run needs it. */

import { checkProfile, type Region } from '../client';
import { parseAuthUrl } from './auth-url';
import type { ConfigKeyName } from './config-keys';
import {
  parseDurationMs,
  parseOnOff,
  parseRegion,
  parseRetries,
  parseSwitch,
  parseText,
  parseTimeLimitMs,
} from './values';

/** Checks the text and gives what is stored: booleans and numbers as such, everything else as it was written. */
type Store = (text: string, where: string) => string | number | boolean;

const asWritten =
  (check: (text: string, where: string) => unknown): Store =>
  (text, where) => {
    check(text, where);
    return text;
  };

const authUrl = (region: Region): Store => asWritten((text, where) => parseAuthUrl(text, where, region));

const STORES: Readonly<Record<ConfigKeyName, Store>> = {
  region: parseRegion,
  sandbox: parseSwitch,
  profile: checkProfile,
  'auth-url': authUrl('eu'),
  'auth-url.eu': authUrl('eu'),
  'auth-url.us': authUrl('us'),
  'sandbox.auth-url': authUrl('eu'),
  'sandbox.auth-url.eu': authUrl('eu'),
  'sandbox.auth-url.us': authUrl('us'),
  'min-ttl': asWritten(parseDurationMs),
  timeout: asWritten(parseTimeLimitMs),
  retries: parseRetries,
  cache: (text, where) => (parseOnOff(text, where) ? 'on' : 'off'),
  'ca-file': asWritten(parseText),
  'keychain-timeout': asWritten(parseTimeLimitMs),
  'credential-command': asWritten(parseText),
};

/** What `config set KEY VALUE` stores for the text of VALUE. @throws GwtokenError `usage` */
export function configValue(key: ConfigKeyName, text: string, where: string): string | number | boolean {
  return STORES[key](text, where);
}
