import type { WireOptions } from '../../../src/system/wire/connection';

/** What the wire needs from this process, in an environment of the test's own. */
export function surroundings(own: Partial<WireOptions> = {}): WireOptions {
  const { platform, versions } = process;
  return { env: {}, platform, nodeVersion: versions.node, warn() {}, ...own };
}
