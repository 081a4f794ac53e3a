/** The connection to the token endpoint, through undici: one request, no redirect, certificates always verified. */
import { lookup } from 'node:dns';
import { readFileSync } from 'node:fs';
import type { LookupFunction } from 'node:net';
import { Client } from 'undici';
import { GwtokenError, messageOf, systemCode } from '../errors';
import type { Fetch } from '../world';

/** Posts by the seam's rules; see {@link Fetch}. The reply's body has to be read to its end or left by an error. */
export const post: Fetch = async (url, { method, headers, body, signal, caFile }) => {
  const { origin, host, pathname, protocol } = new URL(url);
  const client = new Client(origin, {
    connect: {
      // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment cannot turn it off.
      rejectUnauthorized: true,
      ...(caFile === undefined ? {} : { ca: readAuthorities(caFile) }),
      ...(protocol === 'http:' ? { lookup: loopbackOnly } : {}),
    },
    // The caller's signal limits everything; undici's own limits would only race it.
    connectTimeout: 0,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  try {
    const reply = await client.request({ path: pathname, method, headers, body, signal });
    return {
      status: reply.statusCode,
      headers: { get: (name) => [reply.headers[name] ?? null].flat()[0] ?? null },
      body: closing(reply.body, client, host),
    };
  } catch (error) {
    await client.destroy();
    throw unreached(error, host);
  }
};

async function* closing(
  body: AsyncIterable<Uint8Array>,
  client: Client,
  host: string,
): AsyncIterable<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw unreached(error, host);
  } finally {
    await client.destroy();
  }
}

function readAuthorities(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new GwtokenError(
      'usage',
      `the CA file ${path} cannot be read (${systemCode(error) ?? messageOf(error)})`,
      {
        hints: ['name a PEM file with --ca-file or GWTOKEN_CA_FILE'],
      },
    );
  }
}

/** `http:` is for this machine alone, so `localhost` has to resolve to it. */
const loopbackOnly: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, [], 0);
    const local = addresses.filter(({ address }) => address === '::1' || address.startsWith('127.'));
    const first = local[0];
    if (!first)
      return callback(Object.assign(new Error('not a loopback address'), { code: 'ENOTLOOPBACK' }), [], 0);
    return options.all ? callback(null, local) : callback(null, first.address, first.family);
  });
};

const PROBLEMS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the name cannot be resolved',
  EAI_AGAIN: 'the name cannot be resolved now',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  UND_ERR_SOCKET: 'the connection was closed',
  EHOSTUNREACH: 'there is no route to it',
  ENETUNREACH: 'the network cannot be reached',
  ENOTLOOPBACK: 'localhost does not resolve to this machine',
};

function unreached(error: unknown, host: string): GwtokenError {
  if (error instanceof GwtokenError) return error;
  const code = systemCode(error);
  const problem = (code && PROBLEMS[code]) ?? `the connection failed (${code ?? messageOf(error)})`;
  return new GwtokenError('unreached', `${host} was not reached: ${problem}`, {
    hints: ['check the network and the auth URL'],
    reason: code,
    cause: error,
    detail: messageOf(error),
  });
}
