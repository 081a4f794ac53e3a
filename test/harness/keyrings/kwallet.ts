import type { ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KWALLET } from '../debian.mjs';
import { startDisplay } from './display';
import { attributesOf, hasItem, untilCollection } from './secret-service';
import { type Environment, endHelper, run, startSession } from './session';

/** An empty wallet, as its own wizard makes one: kdewallet.kwl and its salt. */
const WALLET =
  'S1dBTExFVAoNAA0KAAEDAgAAAATsVZ/IlejMd+8MTW/f9b3LAAAAAOGO5nIyVFFyCTzgU66dLHMAAAAAYYbMGAudF4TI04Vs6Xkr9wAAAADTeI6MGnc/tmIBBergIWFOAAAAAKZbM/zDfbEKPd5NxYmI8oiDK8diw34ozdw90PxvR73VPG5v3tqh0rHLPPLJTcohWF1dlM+TDpaODz2UGezzZrmkBYvS90h8oRCXZYf/Bo77mdv63vPKrH4FD2IdXEONw3wTB4UWwM4nxpKxq3TksVXhLISYtnL8nLd8bz5Bwecw0GJyOc5a6PoSefgmOmbTTg==';
const SALT = 'sx7kBPc+Sj8GUs0spcDro7mQ9mW17uSFWmwgoWaV1fyz0klW73uxKs2dZ9L2v3hseezddBxPduM=';
const PASSWORD = 'pw';
const DAEMON = 'kwallet6' in KWALLET ? 'kwalletd6' : 'kwalletd5';

/** Without the wizard that a first use begins with. */
const SETTINGS = `[Wallet]
Enabled=true
First Use=false
Default Wallet=kdewallet
[org.freedesktop.secrets]
apiEnabled=true
`;

/** A KWallet whose person is a test. */
export interface KWallet {
  /** HOME, XDG_*, DBUS_SESSION_BUS_ADDRESS and DISPLAY. */
  readonly env: Environment;
  /** Waits for the dialog that asks for the wallet's password, and answers it. */
  answer(answer: 'unlock' | 'dismiss'): Promise<void>;
  /** Logs out and in again: the wallet is locked until somebody opens it. */
  lock(): Promise<void>;
  /** The secret of an account in the open wallet; undefined when there is none. */
  lookup(account: string): Promise<string | undefined>;
}

/** Starts a session bus, a screen and a KWallet that nobody else sees; its wallet is locked. */
export async function startKWallet(): Promise<KWallet> {
  const display = await startDisplay();
  const { env, withPath, home, start } = await startSession(display);
  let daemon: ChildProcess | undefined;

  const wallets = join(home.XDG_DATA_HOME, 'kwalletd');
  mkdirSync(wallets, { recursive: true });
  writeFileSync(join(wallets, 'kdewallet.kwl'), Buffer.from(WALLET, 'base64'));
  writeFileSync(join(wallets, 'kdewallet.salt'), Buffer.from(SALT, 'base64'));
  mkdirSync(home.XDG_CONFIG_HOME, { recursive: true });
  writeFileSync(join(home.XDG_CONFIG_HOME, 'kwalletrc'), SETTINGS);

  const lock = async () => {
    if (daemon) {
      // It writes its file now; by itself it would some seconds after a change.
      const close = [`--dest=org.kde.${DAEMON}`, `/modules/${DAEMON}`, 'org.kde.KWallet.close'];
      const sent = ['--session', '--print-reply', ...close, 'string:kdewallet', 'boolean:true'];
      await run('dbus-send', sent, withPath);
      await endHelper(daemon);
    }
    daemon = start(DAEMON, []);
    await untilCollection('locked', withPath);
  };
  await lock();
  return {
    env,
    lock,
    answer: (how) =>
      display.answer('KDE Wallet Service', how === 'unlock' ? [...PASSWORD, 'Return'] : ['Escape']),
    async lookup(account) {
      if (!(await hasItem(withPath, account))) return undefined;
      const lookup = () => run('secret-tool', ['lookup', ...attributesOf(account)], withPath);
      // One session in a hundred has the wrong key, and reads nothing.
      return await lookup().catch(lookup);
    },
  };
}
