/** The keychain's child starts, answers and ends in both forms of gwtoken. */
import { startKeyring } from '../../harness/keyrings/keyring';
import { runBuilt } from './keychain-runs';
import { testSession } from './session';

/** An unlocked gnome-keyring shows no dialogs, so the person has nothing to allow. */
testSession(
  'keyring',
  async () => ({ ...(await startKeyring({ state: 'unlocked' })), allows: {} }),
  runBuilt,
);
