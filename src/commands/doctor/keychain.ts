import { GwtokenError } from '../../errors';
import type { Keychain, KeychainReason } from '../../world/keychain';
import type { World } from '../../world/world';
import { type Check, section } from './check';

const { ok, warning, skipped, error: broken } = section('keychain');

/** What a keychain needs, in this order, and what it is called when it is there. */
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

/** The stage that a reason belongs to. For the others it is not known what was reached. */
const FAILED_AT: Partial<Record<KeychainReason, Stage>> = {
  'module-missing': 'module',
  'library-missing': 'library',
  'no-session': 'session',
  'no-provider': 'provider',
  'no-collection': 'keyring',
  locked: 'unlocked',
};

/**
 * One round trip through the keychain tells all stages: it fails at the first that is not there.
 *
 * @param elsewhere where the credentials come from, if that is not the keychain: its failure is a warning then
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
