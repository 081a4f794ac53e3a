import type { GwtokenError } from '../../../src/errors';
import type { PostForm, PostOptions } from '../../../src/post-form';
import { openWire } from '../../../src/system/wire/wire';

/** Opens the wire with these variables. `write` receives what it writes to stderr. */
export function wireIn(env: Record<string, string> = {}, write: (text: string) => void = () => {}): PostForm {
  const stderr = { isTTY: () => false, write };
  const { platform, versions } = process;
  // Keeps the listeners of the process, which belong to Vitest.
  return openWire({ env, platform, versions, removeAllListeners: () => process }, { stderr });
}

/** Returns what a user sees of an error, and its reason. */
export function shown(error: GwtokenError) {
  const { kind, message, hints, reason, detail, retry } = error;
  return { kind, message, hints, reason, detail, retry };
}

/** The options of a request. Each test overrides those that it is about. */
export const POST: PostOptions = {
  headers: {},
  body: 'a=b',
  timeoutMs: 30_000,
  maxBytes: 1000,
  signal: undefined,
  caFile: undefined,
  trace() {},
};
