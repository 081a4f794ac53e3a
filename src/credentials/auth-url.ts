/** Hints for credentials that are for another auth URL than the settings give. */

import { type Client, clientFlags, profileFlag } from '../client';
import type { Setting } from '../settings/table';
import { shellWord } from '../text';

/**
 * Returns the hints for a keychain item. The first hint sends its secret to no other address.
 *
 * @param own the auth URL of the item; undefined if it names none
 * @param setting the auth URL of the settings, if they give one
 */
export function itemUrlHints(
  own: string | undefined,
  client: Client,
  setting?: Setting<string>,
): readonly string[] {
  const login = `run: gwtoken login ${clientFlags(client)}`;
  if (setting === undefined) return [`to store one with it, ${login}`];
  const other = `to use ${setting.value}, ${login} --auth-url ${shellWord(setting.text)}`;
  return own === undefined ? [other] : [setting.source.undo, `or, ${other}`];
}

/**
 * Returns the hints for a credential command. The first hint sends its secret to no other address.
 *
 * @param own the auth URL that the command printed; undefined if it printed none
 * @param setting the auth URL of the settings, if they give one
 */
export function commandUrlHints(
  own: string | undefined,
  { region, profile }: Client,
  setting?: Setting<string>,
): readonly string[] {
  const url = setting === undefined ? 'URL' : shellWord(setting.text);
  const config = `run: gwtoken config set auth-url.${region} ${url}${profileFlag(profile)}`;
  if (setting === undefined) return ['let the command print it as "auth_url"', `or, ${config}`];
  const { value, source } = setting;
  if (own === undefined)
    return [
      `${source.undo}: the auth URL must come from the command's output or the config file`,
      `to set it there, ${config}`,
    ];
  return [source.undo, `or, to use ${value}, let the command print it as "auth_url"`];
}
