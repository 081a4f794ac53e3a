/** Hints for credentials that are for another auth URL than the settings give. */

import { type Client, clientFlags, profileFlag } from '../client';
import type { Setting } from '../settings/table';
import { shellWord } from '../text';

/**
 * Returns the hints if the settings name another auth URL than the credentials are for. The first hint never
 * sends the secret to another address.
 *
 * @param own the auth URL of the credentials; undefined if they name none
 */
export function waysToAuthUrl(
  kind: 'keychain' | 'command',
  own: string | undefined,
  client: Client,
  { value, text, source }: Setting<string>,
): readonly string[] {
  const isConfig = source.kind === 'config';
  const without = isConfig ? '' : `${source.kind === 'flag' ? 'omit' : 'unset'} ${source.name}`;
  const urlFlag = isConfig ? '' : ` --auth-url ${shellWord(text)}`;
  const login = `run: gwtoken login ${clientFlags(client)}${urlFlag}`;
  const move = `to use ${value}, ${kind === 'keychain' ? login : 'let the command print it as "auth_url"'}`;
  if (own === undefined && kind === 'keychain') return [move];
  if (own === undefined)
    return [
      `${without}: the auth URL must come from the command's output or the config file`,
      `to set it there, ${configLine(text, client)}`,
    ];
  const others = kind === 'keychain' ? 'log other clients in with --profile NAME, and ' : '';
  return [isConfig ? `${others}${configLine(own, client)}` : without, `or, ${move}`];
}

/** Returns the end of a hint that sets a client's auth URL in the config file. */
export function configLine(authUrl: string, { region, profile }: Client): string {
  return `run: gwtoken config set auth-url.${region} ${shellWord(authUrl)}${profileFlag(profile)}`;
}
