/** Credentials from environment variables: the sandbox's names first, then the region's, then the general ones. */

import type { Client } from '../client';
import { GwtokenError, messageOf, systemCode } from '../errors';
import type { World } from '../world/world';
import type { Credentials } from './credentials';
import { checkSecret, clientIdProblem, SECRET_LIMIT, secretFromBytes } from './secret-text';

/** The names of one pair: the id, and the secret itself or the file that it is in. */
interface Pair {
  readonly id: string;
  readonly secret: string;
  readonly secretFile: string;
}

/** The pairs in the order in which they are looked at for a client. */
function variablePairs({ region, environment }: Client): readonly Pair[] {
  const pairs: Pair[] = [];
  for (const stem of environment === 'sandbox'
    ? ['GWTOKEN_SANDBOX_CLIENT', 'GWTOKEN_CLIENT']
    : ['GWTOKEN_CLIENT']) {
    for (const suffix of [`_${region.toUpperCase()}`, '']) {
      pairs.push({
        id: `${stem}_ID${suffix}`,
        secret: `${stem}_SECRET${suffix}`,
        secretFile: `${stem}_SECRET_FILE${suffix}`,
      });
    }
  }
  return pairs;
}

/** The names of all pairs, in the same order: id, secret, file of the secret. */
export function variableNames(client: Client): readonly string[] {
  return variablePairs(client).flatMap(({ id, secret, secretFile }) => [id, secret, secretFile]);
}

/**
 * The names of the pair that would be used and the client id, with no secret read; undefined when none is set. Half a
 * pair, or a secret given both ways, is a `usage` error.
 */
export function variablePairInUse(
  client: Client,
  env: World['env'],
): { id: string; clientId: string; secretIn: string } | undefined {
  const pair = variablePairs(client).find(({ id, secret, secretFile }) =>
    [id, secret, secretFile].some((name) => env[name]),
  );
  return pair && { id: pair.id, ...checkPair(pair, { env }) };
}

/**
 * The credentials in the variables, or undefined when none is set. Half a pair, or a secret given both ways, is a
 * `usage` error: it is never completed from elsewhere.
 */
export function variableCredentials(
  client: Client,
  world: Pick<World, 'env' | 'readFile' | 'trace'>,
): Credentials | undefined {
  for (const pair of variablePairs(client)) {
    if (!world.env[pair.id] && !world.env[pair.secret] && !world.env[pair.secretFile]) continue;
    const { clientId, secretIn } = checkPair(pair, world);
    const clientSecret =
      secretIn === pair.secret
        ? checkSecret(world.env[secretIn] ?? '', secretIn)
        : secretFromFile(secretIn, world);
    const name = `${pair.id} and ${secretIn}`;
    world.trace(`credentials from ${name}`);
    return { clientId, clientSecret, source: { kind: 'variables', name } };
  }
  return undefined;
}

function checkPair(pair: Pair, { env }: Pick<World, 'env'>): { clientId: string; secretIn: string } {
  const clientId = env[pair.id];
  if (env[pair.secret] && env[pair.secretFile]) {
    throw new GwtokenError('usage', `both ${pair.secret} and ${pair.secretFile} are set`, {
      hints: [`unset one of the two`],
    });
  }
  if (!clientId)
    throw halfPair(pair.id, env[pair.secret] ? pair.secret : pair.secretFile, env[pair.id] === '');
  const problem = clientIdProblem(clientId);
  if (problem)
    throw new GwtokenError('usage', `${pair.id} ${problem}`, {
      hints: ['give the client id alone, on one line'],
    });
  if (!env[pair.secret] && !env[pair.secretFile]) {
    const empty = [pair.secret, pair.secretFile].find((name) => env[name] === '');
    throw halfPair(empty ?? pair.secret, pair.id, empty !== undefined);
  }
  return { clientId, secretIn: env[pair.secret] ? pair.secret : pair.secretFile };
}

function halfPair(missing: string, present: string, empty: boolean): GwtokenError {
  return empty
    ? new GwtokenError(
        'usage',
        `${present} is set but ${missing} is empty: CI secrets are not given to forks`,
        {
          hints: [`give ${missing} a value, or unset ${present} to use another source`],
        },
      )
    : new GwtokenError('usage', `${present} is set but ${missing} is not`, {
        hints: [`set ${missing} too, or unset ${present} to use another source`],
      });
}

function secretFromFile(variable: string, world: Pick<World, 'env' | 'readFile'>): string {
  const path = world.env[variable] ?? '';
  let bytes: Uint8Array;
  try {
    bytes = world.readFile(path, SECRET_LIMIT);
  } catch (error) {
    throw new GwtokenError(
      'usage',
      `the file ${shownPath(path)}(from ${variable}) cannot be read (${systemCode(error) ?? messageOf(error)})`,
      {
        hints: ['name a file with the client secret alone in it'],
        cause: error,
      },
    );
  }
  return secretFromBytes(bytes, `${shownPath(path)}(${variable})`);
}

/** A path that looks like one; what does not may be the secret itself, in the wrong variable. */
function shownPath(path: string): string {
  return /^(\.{0,2}[\\/]|[A-Za-z]:[\\/])/.test(path) ? `${path} ` : '';
}
