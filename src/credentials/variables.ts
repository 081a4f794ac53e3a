/** Credentials from environment variables: the sandbox's first, then the region's, then the general ones. */

import type { Client } from '../client';
import { type GwtokenError, messageOf, systemCode, usage } from '../errors';
import { quoted } from '../text';
import { FORKS_GET_NO_SECRETS } from '../waiting';
import type { Env, World } from '../world';
import { type Credentials, checkClientId, checkSecret, SECRET_LIMIT, secretFromBytes } from './credentials';

/** Names of one pair: the ID, and the secret itself or the file that contains it. */
type Pair = readonly [id: string, secret: string, secretFile: string];

function variablePairs({ region, environment }: Client): readonly Pair[] {
  const stems = [...(environment === 'sandbox' ? ['GWTOKEN_SANDBOX_CLIENT'] : []), 'GWTOKEN_CLIENT'];
  return stems.flatMap((stem) =>
    [`_${region.toUpperCase()}`, ''].map(
      (suffix): Pair => [`${stem}_ID${suffix}`, `${stem}_SECRET${suffix}`, `${stem}_SECRET_FILE${suffix}`],
    ),
  );
}

/** Returns the names of all pairs, in the order of their precedence: ID, secret, file of the secret. */
export function credentialVariableNames(client: Client): readonly string[] {
  return variablePairs(client).flat();
}

/**
 * Returns the first pair of which any variable is set; undefined if there is none.
 *
 * @throws GwtokenError `usage` for half a pair, a secret given both ways, and a file that cannot be read
 */
export function variableCredentials(
  client: Client,
  world: Pick<World, 'env' | 'readFile'>,
): { readonly name: string; readonly credentials: Credentials } | undefined {
  const { env } = world;
  const pair = variablePairs(client).find((names) => names.some((name) => env[name]));
  if (!pair) return undefined;
  const [id, secret, secretFile] = pair;
  if (env[secret] && env[secretFile])
    throw usage(`both ${secret} and ${secretFile} are set`, 'unset one of them');
  const secretIn = env[secretFile] ? secretFile : secret;
  if (!env[id]) throw halfPair(id, secretIn, env);
  const clientId = checkClientId(env[id], id);
  const text = env[secretIn];
  if (!text) throw halfPair(secret, id, env);
  const clientSecret =
    secretIn === secret ? checkSecret(text, secret) : secretFromFile(text, secretFile, world);
  return { name: `${id} and ${secretIn}`, credentials: { clientId, clientSecret } };
}

/** Returns the text without the client secrets of variables: one may have been typed as another value. */
export function hideSecrets(text: string, env: Env): string {
  const names = Object.keys(env).filter((name) => /_CLIENT_SECRET(_(?!FILE)[A-Z]+)?$/.test(name));
  const secrets = names.flatMap((name) => env[name] || []);
  // A short one may be part of any word, and is hidden only where it is a value.
  const hidden = secrets.flatMap((secret) => [quoted(secret), ...(secret.length < 8 ? [] : [secret])]);
  return hidden.reduce((shown, value) => shown.replaceAll(value, '***'), text);
}

/** Returns the beginning of a sentence about variables: `A and B are`. */
export function are(names: readonly string[]): string {
  return `${names.join(' and ')} ${names.length > 1 ? 'are' : 'is'}`;
}

function halfPair(missing: string, present: string, env: Env): GwtokenError {
  const isEmpty = env[missing] === '';
  return usage(
    `${present} is set but ${missing} is ${isEmpty ? `empty (${FORKS_GET_NO_SECRETS})` : 'not'}`,
    `set ${missing}${isEmpty ? '' : ' too'}, or unset ${present} to use other credentials`,
  );
}

/** No error names the path: it may be the secret itself, in the wrong variable. */
function secretFromFile(path: string, variable: string, { readFile }: Pick<World, 'readFile'>): string {
  let bytes: Uint8Array;
  try {
    bytes = readFile(path, SECRET_LIMIT);
  } catch (error) {
    const code = systemCode(error);
    const problem = code === 'ENOENT' ? 'no such file' : (code ?? messageOf(error));
    throw usage(
      `cannot read the file in ${variable}: ${problem}`,
      'it must be a regular file that contains only the client secret',
    );
  }
  return secretFromBytes(bytes, `the file in ${variable}`);
}
