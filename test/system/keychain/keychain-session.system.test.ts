/** The session of session.ts with KeePassXC and with KWallet, which ask the person different things. */
import { startKeePassXC } from '../../harness/keyrings/keepassxc';
import { startKWallet } from '../../harness/keyrings/kwallet';
import { testSession } from './session';

testSession('KeePassXC', async () => {
  const keyring = await startKeePassXC();
  const { answer } = keyring;
  // The dialog that gwtoken has left open must go first: KeePassXC 2.7.10 never unlocks through it.
  const unlock = () => answer('dismiss').then(() => answer('unlock'));
  return { ...keyring, unlock, allows: { reading: () => answer('allow') } };
});

testSession('KWallet', async () => {
  const keyring = await startKWallet();
  const unlock = () => keyring.answer('unlock');
  return { ...keyring, unlock, allows: { firstUse: unlock } };
});
