import { keyringAvailable, startKeyring } from '../../harness/keyrings/keyring';
import { testSession } from './session';

testSession('gnome-keyring', keyringAvailable(), async () => ({
  ...(await startKeyring({ state: 'unlocked' })),
  allows: {},
}));
