/** Hints for credentials that are for another auth URL than the settings give. */

import { type Client, clientFlags, profileFlag } from '../client';
import type { Setting } from '../settings/table';
import { shellWord } from '../text';

/**
 * Returns the hints for a keychain item. The first hint sends its secret to no other address.
 *
 * @param own the auth URL of the item; undefined if it names none
 */
export function itemUrlHints(
  own: string | undefined,
  client: Client,
  { value, text, source }: Setting<string>,
): readonly string[] {
  const login = `to use ${value}, run: gwtoken login ${clientFlags(client)} --auth-url ${shellWord(text)}`;
  return own === undefined || source.undo === '' ? [login] : [source.undo, `or, ${login}`];
}

/**
 * Returns the hints for a credential command. The first hint sends its secret to no other address.
 *
 * @param own the auth URL that the command printed; undefined if it printed none
 */
export function commandUrlHints(
  own: string | undefined,
  client: Client,
  { value, text, source }: Setting<string>,
): readonly string[] {
  if (own === undefined)
    return [
      `${source.undo}: the auth URL must come from the command's output or the config file`,
      `to set it there, ${configLine(text, client)}`,
    ];
  const back = source.kind === 'config' ? configLine(own, client) : source.undo;
  return [back, `or, to use ${value}, let the command print it as "auth_url"`];
}

/** Returns the end of a hint that sets a client's auth URL in the config file. */
function configLine(authUrl: string, { region, profile }: Client): string {
  return `run: gwtoken config set auth-url.${region} ${shellWord(authUrl)}${profileFlag(profile)}`;
}
