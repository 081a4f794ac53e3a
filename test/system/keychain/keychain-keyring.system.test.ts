/** An unlocked gnome-keyring shows no dialogs, so the person has nothing to allow. */
import { startKeyring } from '../../harness/keyrings/keyring';
import { testSession } from './session';

testSession('keyring', async () => ({ ...(await startKeyring({ state: 'unlocked' })), allows: {} }));
