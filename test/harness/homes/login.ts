import { CLIENT, type IdentityClient } from '../endpoints/identity-server';

/** What is to be stored; the client is {@link CLIENT} if left out, the region `eu`. */
export interface Login extends Partial<IdentityClient> {
  readonly region?: 'eu' | 'us';
  /** The setting's, if left out. */
  readonly authUrl?: string;
  /** Further flags, such as `--sandbox`. */
  readonly flags?: readonly string[];
}

/** The command line of a login whose secret comes on stdin. */
export function loginArgs({
  region = 'eu',
  authUrl,
  clientId = CLIENT.clientId,
  flags = [],
}: Login): string[] {
  const address = authUrl === undefined ? [] : ['--auth-url', authUrl];
  return ['login', '--region', region, ...address, '--client-id', clientId, '--secret-stdin', ...flags];
}
