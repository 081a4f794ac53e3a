import { openWire } from '../../../src/system/wire/wire';
import type { PostForm } from '../../../src/world';

/** The wire in an environment of the test's own. */
export function wireIn(env: Record<string, string> = {}, write: (text: string) => void = () => {}): PostForm {
  const stderr = { isTTY: () => false, write };
  const { platform, versions } = process;
  // The listeners are those of the tests' own process.
  return openWire({ env, platform, versions, removeAllListeners: () => process }, { stderr });
}

/** A request, of which a test says what matters to it. */
export const POST = { method: 'POST', headers: {}, body: 'a=b', timeoutMs: 30_000, maxBytes: 1000 } as const;
