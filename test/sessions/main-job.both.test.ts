/** The main job from the first login to a token in a script, as a user types it. */
import { openHome } from '../harness/homes/home';
import { startKeyring } from '../harness/keyrings/keyring';
import { missing } from '../harness/needs';
import { playMainJob } from './main-job';

playMainJob(async () => {
  const keyring = await startKeyring({ state: 'unlocked' });
  const home = openHome(keyring.env);
  return {
    home,
    configFile: `${home.config}/config.json`,
    inShell: 'eval $(gwtoken env)',
    lookup: keyring.lookup,
  };
}, missing('keyring'));
