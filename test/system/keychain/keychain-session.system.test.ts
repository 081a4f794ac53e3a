/** A session with KeePassXC and with KWallet, as with gnome-keyring: only what their persons are asked differs. */
import { startKeePassXC } from '../../harness/keyrings/keepassxc';
import { startKWallet } from '../../harness/keyrings/kwallet';
import { testSession } from './session';

testSession('KeePassXC', async () => {
  const keyring = await startKeePassXC();
  const { answer } = keyring;
  // Unlocked in the dialog that the program has left there.
  return { ...keyring, unlock: () => answer('unlock'), allows: { reading: () => answer('allow') } };
});

testSession('KWallet', async () => {
  const keyring = await startKWallet();
  const unlock = () => keyring.answer('unlock');
  return { ...keyring, unlock, allows: { firstUse: unlock } };
});
