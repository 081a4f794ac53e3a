/** Binding of credentials to the auth URL that they are for: they are sent to no other one. */

import { clientName } from '../client';
import { GwtokenError } from '../errors';
import { parseAuthUrl } from '../settings/values';
import type { CredentialQuery } from './plan';

/**
 * Refuses to send a secret to an auth URL that is not its own. A command's without one is for the config
 * file's, so that no stray variable or flag sends it elsewhere.
 *
 * @param own the auth URL in the keychain item, or in the output of the credential command
 * @throws GwtokenError `usage`: of the reason `bound-elsewhere`, or for an invalid auth URL
 */
export function checkBinding(
  own: string | undefined,
  { client, plan, authUrl }: Pick<CredentialQuery, 'client' | 'plan' | 'authUrl'>,
): void {
  const isCommand = plan.kind === 'command';
  const { value, source } = authUrl;
  if (isCommand && own === undefined && source.kind === 'config') return;
  const where = isCommand ? 'the output of the credential command' : 'its keychain item';
  const url = own === undefined ? 'no auth URL' : parseAuthUrl(own, where, client.region);
  if (url === value) return;
  const bound = isCommand ? 'the credential command printed' : `${clientName(client)} was stored for`;
  throw new GwtokenError('usage', `${bound} ${url}, but ${source.name} says ${value}; nothing was sent`, {
    reason: 'bound-elsewhere',
  });
}
