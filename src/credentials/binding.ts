/** The auth URL that stored credentials are for: they are sent to no other one. */

import { clientName } from '../client';
import { GwtokenError } from '../errors';
import { parseAuthUrl } from '../settings/values';
import type { CredentialQuery } from './plan';

/** The one auth URL that a stored secret may be sent to. */
interface Binding {
  readonly authUrl: string;
  /** The place that says so, as messages have it. */
  readonly where: string;
  /** Whether the secret came with it, or else the config file has it. */
  readonly cameWithSecret: boolean;
}

/** The credentials are bound to another auth URL, or to none. */
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
 * @param authUrl what the keychain item, or the output of the credential command, says that it is for
 * @throws GwtokenError `usage`: {@link BoundElsewhere}, or for an auth URL that is none
 */
export function checkBinding(authUrl: string | undefined, query: CredentialQuery): void {
  const { value, source } = query.authUrl;
  const binding = bindingOf(authUrl, query);
  if (binding?.authUrl === value) return;
  const owner = `${query.plan.kind === 'keychain' ? 'stored ' : ''}credentials for ${clientName(query.client)}`;
  const where = binding
    ? `${binding.authUrl} (from ${binding.where})`
    : 'the auth URL in the config file, which is not set';
  throw new BoundElsewhere(
    `the ${owner} are for ${where}, but the auth URL is ${value} (from ${source.name}); nothing was sent`,
    binding,
  );
}

/** A keychain item has to say itself what it is for: the config file could be a stranger's, by GWTOKEN_CONFIG_DIR. */
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
