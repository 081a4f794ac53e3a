/** The part of the World that the GitHub action needs: no keychain, no prompts, no files but the runner's. */
import type { Env, WarmWorld, World } from '../world';
import { openAppender } from './files/append-file';
import { fileReader } from './files/read-file';
import { writeAll } from './terminal/streams';
import { openWire } from './wire/wire';

export type ActionWorld = Omit<WarmWorld, 'clients' | 'tokens' | 'crypto'> &
  Pick<World, 'version' | 'stdout' | 'stderr' | 'appender' | 'fetch' | 'sleep' | 'random'>;

/** What the action's program starts itself with to look a name up: bin/gwtoken-action.ts. */
export const LOOKUP_CHILD = '--the-lookup-child-of-gwtoken';

/** @param given the variables that settings and credentials come from, instead of the process's own */
export function openActionWorld(own: NodeJS.Process, version: string, given: Env): ActionWorld {
  const { env, platform, versions } = own;
  const warn = (text: string): void => writeAll(2, `gwtoken: warning: ${text}\n`);
  const lookupChild = [__filename, LOOKUP_CHILD];
  const { fetch } = openWire({ env, platform, nodeVersion: versions.node, lookupChild, warn });
  const output = (descriptor: 1 | 2): World['stdout'] => {
    return { isTTY: () => false, write: (text) => writeAll(descriptor, text) };
  };
  return {
    version,
    env: given,
    stdout: output(1),
    stderr: output(2),
    config: { read: () => ({ path: '', general: {}, profiles: {} }) },
    appender: openAppender,
    fetch,
    readFile: fileReader(),
    now: Date.now,
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    random: Math.random,
    trace() {},
  };
}
