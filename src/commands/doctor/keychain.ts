import { GwtokenError } from '../../errors';
import type { Keychain, KeychainReason, World } from '../../world';
import { type Check, section } from './check';

const { ok, warning, skipped, error: broken } = section('keychain');

const WHEN_ASKED =
  'allow it in the dialog within the limit; while a token is cached nothing is asked: gwtoken help keychain';

/** What a keychain needs, in this order, and what is said of it when it is there. */
const STAGES = [
  { name: 'module', there: (version: string) => version },
  { name: 'library', there: () => 'loaded' },
  { name: 'session', there: () => 'D-Bus session found', linux: true },
  { name: 'provider', there: () => 'running', linux: true },
  { name: 'keyring', there: () => 'default keyring found' },
  { name: 'unlocked', there: () => 'yes' },
  { name: 'round trip', there: () => 'stored, read and deleted a test item' },
] as const;

type Stage = (typeof STAGES)[number]['name'];

/** The stage that fails for a reason, and that all before it are there. */
const FAILED_AT: Partial<Record<KeychainReason, Stage>> = {
  'module-missing': 'module',
  'not-started': 'module',
  'library-missing': 'library',
  'no-session': 'session',
  'no-provider': 'provider',
  'plugin-missing': 'provider',
  'no-collection': 'keyring',
  locked: 'unlocked',
  silent: 'round trip',
  denied: 'round trip',
};
/** For these nobody knows what the service lacks, only that the module has asked it. */
const ASKED: readonly KeychainReason[] = ['timed-out', 'key-mismatch', 'failed'];

/**
 * One round trip through the keychain tests all stages: it fails at the first that is missing.
 *
 * @param account of the item that a command would read
 * @param elsewhere where the credentials come from, if not from the keychain: a failure is only a warning then
 */
export async function keychainChecks(
  keychain: Keychain,
  account: string | undefined,
  elsewhere: string | undefined,
  { platform }: Pick<World, 'platform'>,
): Promise<Check[]> {
  const stages = STAGES.filter((stage) => platform === 'linux' || !('linux' in stage));
  let problem: GwtokenError;
  try {
    const version = await keychain.probe();
    const checks = stages.map(({ name, there }) => ok(name, there(version)));
    if (account === undefined || elsewhere !== undefined || !(await keychain.isGuarded(account)))
      return checks;
    return [
      ...checks,
      warning('item', `the keychain may ask before it shows ${account} to a program`, WHEN_ASKED),
    ];
  } catch (error) {
    if (!(error instanceof GwtokenError)) throw error;
    problem = error;
  }
  const reason = problem.reason as KeychainReason;
  const failedAt = FAILED_AT[reason];
  /** The next one's, where this system has no such stage. */
  const indexOf = (stage: Stage): number => {
    const left = STAGES.slice(STAGES.findIndex(({ name }) => name === stage));
    return stages.findIndex((each) => left.includes(each));
  };
  const at = indexOf(failedAt ?? 'round trip');
  const there = failedAt ? at : ASKED.includes(reason) ? indexOf('library') + 1 : 0;
  return stages.map(({ name, there: said }, index) => {
    if (index > at) return skipped(name, 'skipped');
    if (index < at) return index < there ? ok(name, said('installed')) : skipped(name, 'unknown');
    if (elsewhere === undefined) return broken(name, problem);
    return warning(
      name,
      `${problem.message} (not needed: credentials come from ${elsewhere})`,
      ...problem.hints,
    );
  });
}
