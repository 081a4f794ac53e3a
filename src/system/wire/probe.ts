/**
 * The way to an address, one step after the other, as `doctor` shows it: proxy, DNS, TCP, TLS, and a HEAD without
 * credentials. By Node's own modules and not by undici, which does not tell its steps apart.
 */

import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { messageOf, systemCode } from '../../errors';
import type { EndpointFacts, EndpointFailure } from '../../world/probes';
import type { Env } from '../../world/streams';
import { nodeRoots, rootsWith, systemRoots } from './authorities';
import { connectTo, head, type Roots, secure, tlsFacts, tunnel, verify } from './probe-steps';
import { routeTo } from './proxy';

export interface Outside {
  readonly env: Env;
  readonly platform: NodeJS.Platform;
  readonly userAgent: string;
  now(): number;
}

export interface Options {
  readonly timeoutMs: number;
  readonly caFile: string | undefined;
}

type Found = { -readonly [Name in keyof EndpointFacts]: EndpointFacts[Name] };

export async function probeEndpoint(url: string, options: Options, outside: Outside): Promise<EndpointFacts> {
  const { caFile } = options;
  let own: Roots;
  try {
    own =
      caFile === undefined
        ? { ca: undefined, from: undefined }
        : { ca: await rootsWith(caFile, outside.env), from: caFile };
  } catch (error) {
    return { ...NOTHING, failure: { step: 'TLS', code: systemCode(error), message: messageOf(error) } };
  }
  const facts = await goTo(new URL(url), own, options, outside);
  if (!isUntrusted(facts.failure)) return facts;
  // As a token request does: once more with the system's authorities.
  const system = systemRoots(outside.env, outside.platform);
  if (system === undefined) return facts;
  const ca = [...(own.ca ?? nodeRoots(outside.env)), ...system.roots];
  const again = await goTo(new URL(url), { ca, from: system.from }, options, outside);
  return again.failure ? facts : again;
}

const NOTHING: EndpointFacts = {
  proxy: undefined,
  addresses: undefined,
  connectMs: undefined,
  tls: undefined,
  reply: undefined,
  failure: undefined,
};

function isUntrusted(failure: EndpointFailure | undefined): boolean {
  return failure?.step === 'TLS' && /ISSUER|SELF_SIGNED|UNABLE_TO_VERIFY|UNTRUSTED/.test(failure.code ?? '');
}

async function goTo(url: URL, roots: Roots, options: Options, outside: Outside): Promise<EndpointFacts> {
  const { timeoutMs } = options;
  const found: Found = { ...NOTHING };
  let plain: Socket | undefined;
  let step: EndpointFailure['step'] = 'proxy';
  /** One step within its own time limit. The connection is cut at the end, so nothing goes on after it. */
  const within = async <T>(now: EndpointFailure['step'], work: Promise<T>): Promise<T> => {
    step = now;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const error = Object.assign(new Error(`nothing came within ${timeoutMs / 1000} s`), {
        code: 'ETIMEDOUT',
      });
      timer = setTimeout(() => reject(error), timeoutMs);
    });
    return Promise.race([work, late]).finally(() => clearTimeout(timer));
  };
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isTls = url.protocol === 'https:';
  const port = Number(url.port || (isTls ? 443 : 80));
  try {
    const { proxy } = routeTo(url, outside.env);
    found.proxy = proxy?.name;
    const target = proxy ?? { hostname: host, port };
    found.addresses = (await within('DNS', lookup(target.hostname, { all: true }))).map(
      ({ address }) => address,
    );

    const startedMs = outside.now();
    plain = connectTo(target.hostname, target.port);
    await within('TCP', once(plain, 'connect'));
    found.connectMs = outside.now() - startedMs;

    let socket: Socket = plain;
    if (proxy) {
      if (proxy.secure) {
        const safe = await within('proxy', secure(socket, proxy.hostname, roots, outside.env));
        verify(safe);
        socket = safe;
      }
      socket = await within('proxy', tunnel(socket, proxy, host, port));
    }
    if (isTls) {
      const safe = await within('TLS', secure(socket, host, roots, outside.env));
      found.tls = tlsFacts(safe, roots);
      verify(safe);
      socket = safe;
    }
    found.reply = await within('reply', head(url, socket, outside));
  } catch (error) {
    // OpenSSL's errors have a short reason beside a message that names its source files.
    const { reason } = error as { reason?: unknown };
    const message = typeof reason === 'string' ? reason : messageOf(error);
    found.failure = { step, code: systemCode(error), message };
  } finally {
    plain?.destroy();
  }
  return found;
}
