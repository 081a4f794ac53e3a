/** Credentials from environment variables: the sandbox's first, then the region's, then the general ones. */

import { type Client, clientName } from '../client';
import { type GwtokenError, usage } from '../errors';
import { FORKS_GET_NO_SECRETS } from '../patience';
import { messageOf, systemCode } from '../system-errors';
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

/** Returns a hint for each variable that looks like a credential but is not read, for example misspelt. */
export function strayHints(client: Client, env: Env): readonly string[] {
  const read = credentialVariableNames(client);
  return Object.keys(env)
    .filter((name) => /^GW_?TOKEN_(?!COMMAND).*(ID|SECRET|CLIENT)/i.test(name))
    .filter((name) => env[name] && !read.includes(name))
    .map((name) => `${name} is set, but ${clientName(client)} does not use it: check the name`);
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
  if (!env[id]) throw halfPair(id, secretIn, client, env);
  const clientId = checkClientId(env[id], id);
  const text = env[secretIn];
  if (!text) throw halfPair(secret, id, client, env);
  const clientSecret =
    secretIn === secret ? checkSecret(text, secret) : secretFromFile(text, secretFile, world);
  return { name: `${id} and ${secretIn}`, credentials: { clientId, clientSecret } };
}

/** Returns the beginning of a sentence about variables: `A and B are`. */
export function are(names: readonly string[]): string {
  return `${names.join(' and ')} ${names.length > 1 ? 'are' : 'is'}`;
}

function halfPair(missing: string, present: string, client: Client, env: Env): GwtokenError {
  const isEmpty = env[missing] === '';
  return usage(
    `${present} is set but ${missing} is ${isEmpty ? `empty (${FORKS_GET_NO_SECRETS})` : 'not'}`,
    `set ${missing}${isEmpty ? '' : ' too'}, or unset ${present} to use other credentials`,
    ...strayHints(client, env),
  );
}

function secretFromFile(path: string, variable: string, world: Pick<World, 'readFile'>): string {
  let bytes: Uint8Array;
  try {
    bytes = world.readFile(path, SECRET_LIMIT);
  } catch (error) {
    const code = systemCode(error);
    const problem = code === 'ENOENT' ? 'no such file' : (code ?? messageOf(error));
    throw usage(
      `cannot read ${shownPath(path) || 'the file '}(from ${variable}): ${problem}`,
      // No code means no regular file: a pipe such as <(pass show client) can be read only once.
      code === undefined
        ? `to run a command instead, set ${variable.replace('_FILE', '')}="$(COMMAND)", or credential-command`
        : 'the file must contain only the client secret',
    );
  }
  return secretFromBytes(bytes, `${shownPath(path)}(${variable})`);
}

/** Returns the path if it looks like one: anything else may be the secret itself, in the wrong variable. */
function shownPath(path: string): string {
  return /^(\.{0,2}[\\/]|[A-Za-z]:[\\/])/.test(path) ? `${path} ` : '';
}
