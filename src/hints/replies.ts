/** The next steps after a request: a refusal, another reply, or none. */
import { REGIONS } from '../client';
import { listOf } from '../text';
import type { Facts, Rows, Steps } from './row';
import { flagsFor } from './steps';

const CHECK_AUTH_URL = 'check the auth URL (gwtoken adds /oauth2/token to it)';
const CHECK_GRANT = 'check on the Clients page that the client may use client_credentials';

export const REPLY_ROWS = {
  // No reply
  'ca-file': () => ['pass a PEM file with --ca-file'],
  'time-limit': ({ hints }) => hints,
  unreachable: ({ hints }) => hints,

  // Refusals
  invalid_client: rejectedCredentials,
  invalid_grant: rejectedCredentials,
  unauthorized: rejectedCredentials,
  'no-oauth-error': (facts) => [CHECK_AUTH_URL, checkCredentials(facts)],
  'unknown-error': (facts) => [checkCredentials(facts), CHECK_AUTH_URL],
  forbidden: ({ source }) => [
    `check the auth URL, and ${nameOf(source)}`,
    'or ask your administrator: a firewall or proxy may be blocking this',
  ],
  unauthorized_client: () => [CHECK_GRANT],
  unsupported_grant_type: () => [CHECK_GRANT],
  invalid_scope: () => ["ask the endpoint's operator to give this client a default scope"],
  invalid_request: () => ["ask the endpoint's operator what else a token request needs"],
  'unusable-reply': () => ['possible causes: gwtoken help network'],
  'html-page': () => ['check the auth URL; a login page or firewall may be answering instead'],
  'api-answer': () => ["check the auth URL: this is an API's answer, not a token endpoint's"],
  'wrong-path': () => [CHECK_AUTH_URL],
  'rate-limited': () => [
    'too many requests: try again later',
    'without --fresh and --no-cache, calls share the cached token',
  ],
  outage: () => ['the problem is on the server; try again later'],
  'just-expired': () => ["try again after a second; if it persists, contact the endpoint's operator"],
} satisfies Partial<Rows>;

function rejectedCredentials(facts: Facts): Steps {
  const { client, source } = facts;
  // login has verified the credentials in their region, so the secret was replaced or revoked since.
  if (client && source?.kind === 'keychain')
    return [`to store a new secret, run: gwtoken login ${flagsFor({ ...facts, client })}`];
  const others = listOf(REGIONS.filter((region) => region !== client?.region));
  return [
    checkCredentials(facts),
    client && `if the client is in region ${others}, use --region ${others}; check the auth URL too`,
  ];
}

/** Returns the check of ID and secret; undefined if a person has just typed them. */
function checkCredentials({ source }: Facts): string | undefined {
  return source?.kind === 'prompt' ? undefined : `check ${nameOf(source)}`;
}

/** Returns the ID and the secret in words, with their place. */
function nameOf(source: Facts['source']): string {
  if (source?.kind === 'variables') return source.name;
  if (source?.kind === 'command') return `the client ID and secret (from ${source.name})`;
  return 'the client ID and secret';
}
