import type { ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KWALLET } from '../debian.mjs';
import { startDisplay } from './display';
import { attributesOf, hasItem, untilCollection } from './secret-service';
import { type Environment, endHelper, run, startSession } from './session';

/** The files of an empty wallet that KWallet's wizard has created: kdewallet.kwl and its salt. */
const WALLET =
  'S1dBTExFVAoNAA0KAAEDAgAAAATsVZ/IlejMd+8MTW/f9b3LAAAAAOGO5nIyVFFyCTzgU66dLHMAAAAAYYbMGAudF4TI04Vs6Xkr9wAAAADTeI6MGnc/tmIBBergIWFOAAAAAKZbM/zDfbEKPd5NxYmI8oiDK8diw34ozdw90PxvR73VPG5v3tqh0rHLPPLJTcohWF1dlM+TDpaODz2UGezzZrmkBYvS90h8oRCXZYf/Bo77mdv63vPKrH4FD2IdXEONw3wTB4UWwM4nxpKxq3TksVXhLISYtnL8nLd8bz5Bwecw0GJyOc5a6PoSefgmOmbTTg==';
const SALT = 'sx7kBPc+Sj8GUs0spcDro7mQ9mW17uSFWmwgoWaV1fyz0klW73uxKs2dZ9L2v3hseezddBxPduM=';
const PASSWORD = 'pw';
const DAEMON = 'kwallet6' in KWALLET ? 'kwalletd6' : 'kwalletd5';

/** Skips the wizard that KWallet opens at its first use. */
const SETTINGS = `[Wallet]
Enabled=true
First Use=false
Default Wallet=kdewallet
[org.freedesktop.secrets]
apiEnabled=true
`;

/** A running KWallet, whose dialogs the test answers. */
export interface KWallet {
  /** The variables PATH, HOME, XDG_*, DBUS_SESSION_BUS_ADDRESS and DISPLAY. */
  readonly env: Environment;
  /** Waits for the dialog that asks for the wallet's password, and enters the password or dismisses it. */
  answer(answer: 'unlock' | 'dismiss'): Promise<void>;
  /** Logs out and in again, which locks the wallet until a person enters its password. */
  lock(): Promise<void>;
  /** Reads an account's secret from the open wallet; undefined if it has no item. */
  lookup(account: string): Promise<string | undefined>;
}

/** Starts a separate session bus, a screen and a KWallet, whose wallet is locked. */
export async function startKWallet(): Promise<KWallet> {
  const display = await startDisplay();
  const { env, start } = await startSession(display);
  let daemon: ChildProcess | undefined;

  const wallets = join(env.XDG_DATA_HOME, 'kwalletd');
  mkdirSync(wallets, { recursive: true });
  writeFileSync(join(wallets, 'kdewallet.kwl'), Buffer.from(WALLET, 'base64'));
  writeFileSync(join(wallets, 'kdewallet.salt'), Buffer.from(SALT, 'base64'));
  mkdirSync(env.XDG_CONFIG_HOME, { recursive: true });
  writeFileSync(join(env.XDG_CONFIG_HOME, 'kwalletrc'), SETTINGS);

  const lock = async () => {
    if (daemon) {
      // Closing writes the wallet's file at once; otherwise KWallet writes some seconds after a change.
      const close = [`--dest=org.kde.${DAEMON}`, `/modules/${DAEMON}`, 'org.kde.KWallet.close'];
      const sent = ['--session', '--print-reply', ...close, 'string:kdewallet', 'boolean:true'];
      await run('dbus-send', sent, env);
      await endHelper(daemon);
    }
    daemon = start(DAEMON, []);
    await untilCollection('locked', env);
  };
  await lock();
  return {
    env,
    lock,
    answer: (how) =>
      display.answer('KDE Wallet Service', how === 'unlock' ? [...PASSWORD, 'Return'] : ['Escape']),
    async lookup(account) {
      if (!(await hasItem(env, account))) return undefined;
      const lookup = () => run('secret-tool', ['lookup', ...attributesOf(account)], env);
      // About 1 % of the sessions have a wrong key and read nothing.
      return await lookup().catch(lookup);
    },
  };
}
