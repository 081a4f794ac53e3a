/** Credentials from environment variables: the sandbox's first, then the region's, then the general ones. */
import { type Client, CREDENTIAL_PREFIXES, REGIONS } from '../client';
import { type GwtokenError, usage } from '../errors';
import type { Settings } from '../settings/table';
import { wordsFor } from '../system-errors';
import { quoted, shortened } from '../text';
import type { Env, World } from '../world';
import {
  type Credentials,
  checkSecret,
  clientIdProblem,
  ONLY_CLIENT_ID,
  SECRET_LIMIT,
  secretFromBytes,
  type ValueNames,
} from './credentials';
import { type CredentialSource, type FindWorld, urlOfSettings } from './source';

/** The most common reason for an empty variable in a CI job. */
export const FORKS_GET_NO_SECRETS = 'CI systems withhold secrets from forks and Dependabot';

/** Variables of the ID, of the secret, and of a file that contains the secret. */
type PairNames = readonly [id: string, secret: string, secretFile: string];

/** Returns the names of a client's pairs of variables, in the order of their precedence. */
export function variablePairs({ region, environment }: Omit<Client, 'profile'>): readonly PairNames[] {
  const { production, sandbox } = CREDENTIAL_PREFIXES;
  return [...(environment === 'sandbox' ? [sandbox] : []), production].flatMap((prefix) =>
    [`_${region.toUpperCase()}`, ''].map(
      (suffix) =>
        [`${prefix}ID${suffix}`, `${prefix}SECRET${suffix}`, `${prefix}SECRET_FILE${suffix}`] as const,
    ),
  );
}

/** All variables for credentials. The sandbox's pairs include production's. */
export const CREDENTIAL_VARIABLES: readonly string[] = REGIONS.flatMap((region) =>
  variablePairs({ region, environment: 'sandbox' }).flat(),
);

/** Returns the first pair of variables as a source; undefined if none is set. Throws as findPair() does. */
export function variablesSource(settings: Settings, world: FindWorld): CredentialSource | undefined {
  // A profile named by a flag has its own credentials, as in `aws`.
  const found = settings.flags.profile === undefined ? findPair(settings.client, world) : undefined;
  if (!found) return undefined;
  const { names, clientId, clientSecret } = found;
  const name = `${names.id} and ${names.secret}`;
  const authUrl = urlOfSettings(settings);
  return {
    kind: 'variables',
    name,
    clientId,
    key: { facts: [clientId], secret: clientSecret },
    authUrl,
    waitMs: 0,
    async load() {
      if (!authUrl) throw usage(`no auth URL set for region ${settings.client.region}`, [], 'no-auth-url');
      return { ...found, authUrl: authUrl.value };
    },
  };
}

/**
 * Returns the first pair with a set variable; undefined if no pair has one. Throws `usage` for half a pair, a
 * secret given both ways, and a file that cannot be read.
 */
function findPair(
  client: Client,
  { env, readFile }: FindWorld,
): (Credentials & { readonly names: ValueNames }) | undefined {
  const pair = variablePairs(client).find((names) => names.some((name) => env[name]));
  if (!pair) return undefined;
  const [id, secret, secretFile] = pair;
  if (env[secret] && env[secretFile])
    throw usage(`both ${secret} and ${secretFile} are set`, ['unset one of them']);
  const isFile = !env[secret] && env[secretFile] !== undefined;
  const secretIn = isFile ? secretFile : secret;
  const { [id]: clientId, [secretIn]: given } = env;
  if (!clientId) throw halfPair(id, secretIn, env);
  if (!given) throw halfPair(secretIn, id, env);
  const problem = clientIdProblem(clientId);
  if (problem !== undefined) throw usage(`${id} ${problem}`, [ONLY_CLIENT_ID]);
  const clientSecret = isFile ? secretFromFile(given, secretFile, readFile) : checkSecret(given, secret);
  const names = isFile ? { id, secret: `the file in ${secretFile}` } : { id, secret, secretFile };
  return { clientId, clientSecret, names };
}

/** Hides the client secrets of variables in a text, because a user may have typed one as another value. */
export function hideSecrets(text: string, env: Env): string {
  // The secret of a misspelled variable, or of another tool's, is a secret, too.
  const isSecret = (name: string): boolean => /_CLIENT_(.*_)?SECRET(?!_FILE)/i.test(name);
  const secrets = Object.entries(env).flatMap(([name, value]) => (value && isSecret(name) ? [value] : []));
  // An error shows the part before the "=" of NAME=VALUE, which may be a part of a secret.
  const shown = secrets.flatMap((secret) => [secret, secret.replace(/=.*/s, '')]);
  // A short secret may be part of any word, so only a quoted one is hidden.
  const hidden = [
    ...secrets.flatMap((secret) => [quoted(secret), `'${shortened(secret)}'`]),
    ...shown.filter(({ length }) => length >= 8),
  ];
  return hidden.reduce((safe, value) => safe.replaceAll(value, '***'), text);
}

function halfPair(missing: string, present: string, env: Env): GwtokenError {
  const isEmpty = env[missing] === '';
  return usage(`${present} is set but ${missing} is ${isEmpty ? `empty (${FORKS_GET_NO_SECRETS})` : 'not'}`, [
    `export ${missing}${isEmpty ? '' : ' too'}, or unset ${present}`,
  ]);
}

/** Reads the secret from its file. No error names the path, which may be the secret in the wrong variable. */
function secretFromFile(path: string, variable: string, readFile: World['readFile']): string {
  let bytes: Uint8Array;
  try {
    bytes = readFile(path, SECRET_LIMIT);
  } catch (error) {
    throw usage(`cannot read the file in ${variable}: ${wordsFor(error)}`, [
      'it must be the path of a regular file that contains only the client secret',
    ]);
  }
  return secretFromBytes(bytes, `the file in ${variable}`);
}
