import { GwtokenError } from '../../errors';
import type { Keychain, KeychainReason, World } from '../../world';
import { type Check, type Section, section } from './check';

const { ok, skipped, error: broken } = section('keychain');

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

/** One round trip through the keychain tests all stages: it fails at the first that is missing. */
export async function keychainSection(
  keychain: Keychain,
  { platform, terminal }: Pick<World, 'platform' | 'terminal'>,
): Promise<Section & { readonly problem?: GwtokenError }> {
  const title = 'keychain';
  const stages = STAGES.filter((stage) => platform === 'linux' || !('linux' in stage));
  try {
    const version = await terminal.spin('checking the keychain', () => keychain.probe());
    return { title, summary: version, checks: stages.map(({ name, there }) => ok(name, there(version))) };
  } catch (problem) {
    if (!(problem instanceof GwtokenError)) throw problem;
    return { title, summary: '', checks: failedChecks(stages, problem), problem };
  }
}

/** The stages before the one that the problem belongs to passed, or nobody knows; those behind it are skipped. */
function failedChecks(stages: readonly (typeof STAGES)[number][], problem: GwtokenError): Check[] {
  const reason = problem.reason as KeychainReason;
  const failedAt = FAILED_AT[reason];
  /** The next one's, if this system has no such stage. */
  const indexOf = (stage: Stage): number => {
    const left = STAGES.slice(STAGES.findIndex(({ name }) => name === stage));
    return stages.findIndex((each) => left.includes(each));
  };
  const at = indexOf(failedAt ?? 'round trip');
  const passed = failedAt ? at : ASKED.includes(reason) ? indexOf('library') + 1 : 0;
  return stages.map(({ name, there }, index) => {
    if (index === at) return broken(name, problem);
    if (index < passed) return ok(name, there('installed'));
    return skipped(name, index < at ? 'unknown' : 'skipped');
  });
}
