/** Binding of credentials to the auth URL that they were stored for: they are sent to no other one. */

import { clientName } from '../client';
import { GwtokenError } from '../errors';
import { parseAuthUrl } from '../settings/values';
import type { CredentialQuery } from './plan';

/** The only auth URL that a stored secret may be sent to. */
interface Binding {
  readonly authUrl: string;
  /** Source of the auth URL, as messages name it. */
  readonly where: string;
  /** True if it came with the secret, false if it is from the config file. */
  readonly cameWithSecret: boolean;
}

/** Credentials that are bound to another auth URL, or to none. */
export class BoundElsewhere extends GwtokenError {
  readonly binding: Binding | undefined;

  constructor(message: string, binding: Binding | undefined) {
    super('usage', message);
    this.binding = binding;
  }
}

/**
 * Refuses to send a stored secret to an auth URL that it is not bound to.
 *
 * @param authUrl the auth URL in the keychain item, or in the output of the credential command
 * @throws GwtokenError `usage`: {@link BoundElsewhere}, or for an invalid auth URL
 */
export function checkBinding(authUrl: string | undefined, query: CredentialQuery): void {
  const { value, source } = query.authUrl;
  const binding = bindingOf(authUrl, query);
  if (binding?.authUrl === value) return;
  const stored = query.plan.kind === 'keychain' ? 'stored ' : '';
  const owner = `${stored}credentials for ${clientName(query.client)}`;
  const where = binding
    ? `${binding.authUrl} (from ${binding.where})`
    : 'the auth URL in the config file, which is not set';
  throw new BoundElsewhere(
    `the ${owner} are for ${where}, but the auth URL is ${value} (from ${source.name}); nothing was sent`,
    binding,
  );
}

/** Returns the binding: for a keychain item not the config file's URL, since that may be a stranger's. */
function bindingOf(
  authUrl: string | undefined,
  { plan, client, configAuthUrl }: CredentialQuery,
): Binding | undefined {
  const isCommand = plan.kind === 'command';
  if (authUrl !== undefined) {
    const where = isCommand ? 'the output of the credential command' : 'its keychain item';
    return { authUrl: parseAuthUrl(authUrl, where, client.region), where, cameWithSecret: true };
  }
  if (!isCommand) {
    const message = `the keychain item gwtoken, ${clientName(client)} has no auth_url; nothing was sent`;
    throw new GwtokenError('usage', message, { reason: 'unbound' });
  }
  if (configAuthUrl instanceof GwtokenError) throw configAuthUrl;
  return (
    configAuthUrl && { authUrl: configAuthUrl.value, where: configAuthUrl.source.name, cameWithSecret: false }
  );
}
