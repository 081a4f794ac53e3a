/** Hints for credentials that are for another auth URL than the settings give. */

import { type Client, clientFlags, profileFlag } from '../client';
import type { Setting, Source } from '../settings/table';
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
  const isConfig = source.kind === 'config';
  const urlFlag = isConfig ? '' : ` --auth-url ${shellWord(text)}`;
  const login = `to use ${value}, run: gwtoken login ${clientFlags(client)}${urlFlag}`;
  if (own === undefined) return [login];
  const others = 'log other clients in with --profile NAME';
  return [isConfig ? `${others}, and ${configLine(own, client)}` : withoutUrl(source), `or, ${login}`];
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
      `${withoutUrl(source)}: the auth URL must come from the command's output or the config file`,
      `to set it there, ${configLine(text, client)}`,
    ];
  const back = source.kind === 'config' ? configLine(own, client) : withoutUrl(source);
  return [back, `or, to use ${value}, let the command print it as "auth_url"`];
}

/** Returns the hint to drop the auth URL of a flag or variable. */
function withoutUrl({ kind, name }: Source): string {
  return `${kind === 'flag' ? 'omit' : 'unset'} ${name}`;
}

/** Returns the end of a hint that sets a client's auth URL in the config file. */
export function configLine(authUrl: string, { region, profile }: Client): string {
  return `run: gwtoken config set auth-url.${region} ${shellWord(authUrl)}${profileFlag(profile)}`;
}
