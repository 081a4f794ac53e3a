/** The keychain's child in both forms: it starts, answers and ends. */
import { startKeyring } from '../../harness/keyrings/keyring';
import { testSession } from './session';

/** gnome-keyring, which asks nobody while it is unlocked. */
testSession('keyring', async () => ({ ...(await startKeyring({ state: 'unlocked' })), allows: {} }));
