/** The wire to the token endpoint: one request for each connection, no redirect. Rare parts load late. */
import { setFlagsFromString } from 'node:v8';
import { systemCode } from '../../errors';
import type { ConnectionProgress, FormReply, PostForm } from '../../world';
import { withinLimit } from '../limit';
import { findByGetent, findHere, findOnLoopback } from './dns';
import { post, type Trust } from './post';
import { proxyFor } from './proxy';

export interface WireOptions {
  /** The environment itself, not a copy: see {@link ignoring}. */
  readonly env: Record<string, string | undefined>;
  readonly platform: NodeJS.Platform;
  readonly nodeVersion: string;
  warn(line: string): void;
}

/** Returns the function that posts, each time over a connection of its own. */
export function openWire({ env, platform, nodeVersion, warn }: WireOptions): PostForm {
  // V8 of Node 20 optimises undici's parser (llhttp in wasm) for longer than it runs: half of a cold start.
  // Later versions do not, and print a warning or know the flag no more.
  if (nodeVersion.startsWith('20.')) setFlagsFromString('--liftoff-only');
  const verifying = ignoring('NODE_TLS_REJECT_UNAUTHORIZED', env, warn);

  return async (address, options) => {
    const { caFile, timeoutMs, trace, signal: caller } = options;
    const url = new URL(address);
    const proxy = proxyFor(url, env);
    const progress: ConnectionProgress = { waitingFor: 'connect' };
    const report = (facts: Partial<ConnectionProgress>): void => {
      Object.assign(progress, facts);
      options.onProgress?.(facts);
    };
    if (proxy) {
      trace?.(`using ${proxy.label}`);
      report({ proxy: proxy.name });
    }

    const ask = async (signal: AbortSignal): Promise<FormReply> => {
      const lookUp = platform === 'linux' ? findByGetent(env, signal) : findHere;
      const find = url.protocol === 'http:' ? findOnLoopback : lookUp;
      const attempt = (trust: Trust) => post({ url, options, proxy, trust, find, signal, report });
      const own = caFile === undefined ? {} : await trustOf(caFile, env);
      try {
        return await attempt(own);
      } catch (error) {
        const { UNKNOWN_CA } = await import('./problems');
        if (!UNKNOWN_CA.includes(systemCode(error) ?? '')) throw error;
        const { nodeRoots, systemRoots } = await import('./authorities');
        const system = systemRoots(env, platform);
        if (!system) throw error;
        trace?.(`unknown CA; retrying with the CAs of ${system.from}`);
        return await attempt({ ca: [...(own.ca ?? nodeRoots(env)), ...system.roots], from: system.from });
      }
    };
    try {
      return await verifying(() => withinLimit(timeoutMs, ask, caller));
    } catch (error) {
      const { wireProblem } = await import('./problems');
      throw wireProblem(error, { url, proxy, progress, caFile, timeoutMs });
    }
  };
}

async function trustOf(caFile: string, env: WireOptions['env']): Promise<Trust> {
  const { nodeRoots, readCaFile } = await import('./authorities');
  return { ca: [...nodeRoots(env), readCaFile(caFile)], from: caFile };
}

/**
 * Returns a function that works without a variable that is 0, and warns of it once. Node reads this one at
 * each connection, and says on stderr that it is insecure, which ours are not. `exec` passes it on.
 */
function ignoring(name: string, env: WireOptions['env'], warn: WireOptions['warn']) {
  let isWarned = false;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (env[name] !== '0') return await work();
    if (!isWarned) warn(`${name}=0 is ignored: certificates are always verified`);
    isWarned = true;
    delete env[name];
    try {
      return await work();
    } finally {
      env[name] = '0';
    }
  };
}
