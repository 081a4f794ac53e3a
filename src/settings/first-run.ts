/** The next step of somebody who has set up nothing yet. */

import { type Client, clientFlags } from '../client';
import { isCi } from '../person';
import type { Given } from './setting';

/**
 * Hints for a setting that is missing; none once the config file holds anything, or a variable has the credentials:
 * then it is that one setting that is wanted.
 *
 * @param client as far as it is known
 */
export function firstRunHints({ env, config }: Pick<Given, 'env' | 'config'>, client?: Client): string[] {
  const begun =
    Object.keys(config.general).length > 0 ||
    Object.keys(config.profiles).length > 0 ||
    Object.keys(env).some((name) => /^GWTOKEN_(SANDBOX_)?CLIENT_/.test(name));
  if (begun) return [];
  // Nobody can answer there, and nothing that is stored outlives the job.
  if (isCi(env)) return ['in CI? see: gwtoken help ci'];
  return [`new here? run: gwtoken login${client ? ` ${clientFlags(client)}` : ''}`];
}
