import type { WireOptions } from '../../../src/system/wire/wire';

/** What the wire needs from this process, in an environment of the test's own. */
export function surroundings(own: Partial<WireOptions> = {}): WireOptions {
  const { platform, versions } = process;
  return { env: {}, platform, nodeVersion: versions.node, warn() {}, ...own };
}

/** A request, of which a test says what matters to it. */
export const POST = { method: 'POST', headers: {}, body: 'a=b', timeoutMs: 5000, maxBytes: 1000 } as const;
