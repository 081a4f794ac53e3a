import { GwtokenError } from '../../errors';
import type { Keychain, KeychainReason } from '../../world/keychain';
import type { World } from '../../world/world';
import { type Check, section } from './check';

const { ok, warning, skipped, error: broken } = section('keychain');

/** What a keychain needs, in this order, and what is said of it when it is there. */
const STAGES = [
  { name: 'module', there: (version: string) => version },
  { name: 'library', there: () => 'loaded' },
  { name: 'session', there: () => 'there is one', linux: true },
  { name: 'provider', there: () => 'answers', linux: true },
  { name: 'keyring', there: () => 'there is one' },
  { name: 'unlocked', there: () => 'yes' },
  { name: 'round trip', there: () => 'an item was stored, read and deleted' },
] as const;

type Stage = (typeof STAGES)[number]['name'];

/** The stage that fails for a reason. For other reasons it is not known which stage was reached. */
const FAILED_AT: Partial<Record<KeychainReason, Stage>> = {
  'module-missing': 'module',
  'library-missing': 'library',
  'no-session': 'session',
  'no-provider': 'provider',
  'no-collection': 'keyring',
  locked: 'unlocked',
};

/**
 * One round trip through the keychain tests all stages: it fails at the first that is missing.
 *
 * @param elsewhere where the credentials come from, if not from the keychain: a failure is only a warning then
 */
export async function keychainChecks(
  keychain: Keychain,
  elsewhere: string | undefined,
  { platform }: Pick<World, 'platform'>,
): Promise<Check[]> {
  const stages = STAGES.filter((stage) => platform === 'linux' || !('linux' in stage));
  let problem: GwtokenError;
  try {
    const version = await keychain.probe();
    return stages.map(({ name, there }) => ok(name, there(version)));
  } catch (error) {
    if (!(error instanceof GwtokenError)) throw error;
    problem = error;
  }
  const known = FAILED_AT[problem.reason as KeychainReason];
  const at = stages.findIndex(({ name }) => name === (known ?? 'round trip'));
  return stages.map(({ name, there }, index) => {
    if (index > at) return skipped(name, 'not tried');
    if (index < at) return known === undefined ? skipped(name, 'not known') : ok(name, there('installed'));
    if (elsewhere === undefined) return broken(name, problem);
    return warning(
      name,
      `${problem.message} (not needed: credentials come from ${elsewhere})`,
      ...problem.hints,
    );
  });
}
