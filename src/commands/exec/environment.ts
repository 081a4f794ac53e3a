/** The environment that `gwtoken exec` gives its command. */

import type { Variable } from '../../formats/format';
import type { Env } from '../../world/streams';

const CREDENTIALS = ['GWTOKEN_CLIENT_', 'GWTOKEN_SANDBOX_CLIENT_'];

/**
 * gwtoken's own environment without the clients' credentials, and with these variables: those that have no value are
 * removed, so that none is left from another client.
 */
export function childEnvironment(
  env: Env,
  variables: readonly Variable[],
  platform: NodeJS.Platform,
): Record<string, string> {
  // Windows does not tell the names of variables apart by case.
  const same = (name: string): string => (platform === 'win32' ? name.toUpperCase() : name);
  const ours = new Set(variables.map(({ name }) => same(name)));
  const kept = Object.entries(env).filter(
    ([name]) => !ours.has(same(name)) && !CREDENTIALS.some((prefix) => same(name).startsWith(prefix)),
  );
  return Object.fromEntries(
    [...kept, ...variables.map(({ name, value }) => [name, value] as const)].filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    ),
  );
}
