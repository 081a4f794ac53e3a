/** A session with KeePassXC and with KWallet, as with gnome-keyring: only what their persons are asked differs. */
import { startKeePassXC } from '../../harness/keyrings/keepassxc';
import { startKWallet } from '../../harness/keyrings/kwallet';
import { testSession } from './session';

testSession('KeePassXC', async () => {
  const keyring = await startKeePassXC();
  const { answer } = keyring;
  // The dialog that the program has left there is of no use: 2.7.10 never ends to unlock by it.
  const unlock = () => answer('dismiss').then(() => answer('unlock'));
  return { ...keyring, unlock, allows: { reading: () => answer('allow') } };
});

testSession('KWallet', async () => {
  const keyring = await startKWallet();
  const unlock = () => keyring.answer('unlock');
  return { ...keyring, unlock, allows: { firstUse: unlock } };
});
