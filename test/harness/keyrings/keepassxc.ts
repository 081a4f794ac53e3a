import type { ChildProcess } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../programs/processes';
import { startDisplay } from './display';
import { attributesOf, hasItem, untilCollection } from './secret-service';
import { type Environment, endHelper, run, startSession } from './session';

const PASSWORD = 'pw';
const GROUP = '00112233-4455-6677-8899-aabbccddeeff';

/** A database whose group is exposed to the Secret Service, as a user would do it. */
const DATABASE = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<KeePassFile>
  <Meta>
    <DatabaseName>db</DatabaseName>
    <RecycleBinEnabled>True</RecycleBinEnabled>
    <CustomData><Item><Key>FDO_SECRETS_EXPOSED_GROUP</Key><Value>{${GROUP}}</Value></Item></CustomData>
  </Meta>
  <Root>
    <Group>
      <UUID>${Buffer.from(GROUP.replaceAll('-', ''), 'hex').toString('base64')}</UUID>
      <Name>Root</Name>
    </Group>
  </Root>
</KeePassFile>`;

/** Enables the Secret Service, which is off by default, and keeps KeePassXC's defaults for its options. */
const SETTINGS = `[General]
ConfigVersion=2
UpdateCheckMessageShown=true
OpenPreviousDatabasesOnStartup=false
[GUI]
CheckForUpdates=false
[FdoSecrets]
Enabled=true
`;

/** The title of each dialog, and the keys that answer it; `lock` is for the window of an unlocked database. */
const ANSWERS = {
  allow: ['Access Request', ['Return']],
  deny: ['Access Request', ['Escape']],
  dismiss: ['Unlock Database', ['Escape']],
  unlock: ['\\[Locked\\] - KeePassXC', [...PASSWORD, 'Return']],
  lock: ['[^]] - KeePassXC', ['ctrl+l']],
} as const;
/** The titles of the dialogs that ask for an open database. */
const NOT_OPEN = 'Unlock Database|Create a new KeePassXC database';

export type KeePassXCAnswer = keyof typeof ANSWERS;
/** The open database: the first one, `another` one while the first is locked, or `none`. */
type OpenDatabase = 'first' | 'another' | 'none';

/** A running KeePassXC, whose dialogs the test answers. */
export interface KeePassXC {
  /** The variables PATH, HOME, XDG_*, DBUS_SESSION_BUS_ADDRESS and DISPLAY. */
  readonly env: Environment;
  /** Waits for the dialog that this answer belongs to, and answers it. */
  answer(answer: KeePassXCAnswer): Promise<void>;
  /** Dismisses each dialog that asks for an open database until the work ends. */
  dismissing<T>(work: Promise<T>): Promise<T>;
  /** Counts the open dialogs. */
  dialogs(): Promise<number>;
  /** Reads an account's secret with secret-tool, and allows it in the dialog; undefined if it has no item. */
  lookup(account: string): Promise<string | undefined>;
  lock(): Promise<void>;
  /** Restarts KeePassXC with another database. */
  reopen(database: OpenDatabase): Promise<void>;
}

/** Starts a session bus, a screen and a KeePassXC in which the first database is open. */
export async function startKeePassXC(): Promise<KeePassXC> {
  const display = await startDisplay();
  const { dir, env, start } = await startSession(display);
  const file = (name: string) => join(dir, `${name}.kdbx`);
  writeFileSync(join(dir, 'db.xml'), DATABASE);
  const create = ['import', '-q', '-p', '-t', '100', join(dir, 'db.xml'), file('first')];
  await run('keepassxc-cli', create, env, `${PASSWORD}\n`.repeat(2));
  copyFileSync(file('first'), file('another'));
  mkdirSync(join(env.XDG_CONFIG_HOME, 'keepassxc'), { recursive: true });
  writeFileSync(join(env.XDG_CONFIG_HOME, 'keepassxc', 'keepassxc.ini'), SETTINGS);
  // A user's second KeePassXC finds the first one by a file in the temporary directory, and talks to it.
  const directory = { TMPDIR: env.XDG_RUNTIME_DIR };
  const answer: KeePassXC['answer'] = (how) => {
    const [title, keys] = ANSWERS[how];
    return display.answer(title, keys);
  };
  let program: ChildProcess | undefined;
  const reopen = async (name: OpenDatabase) => {
    // KeePassXC saves a moment after a change; until then its title has a star.
    await until(
      'KeePassXC has saved',
      async () => (await display.windows('\\* - KeePassXC')) === 0,
      30_000,
      100,
    );
    if (program) await endHelper(program);
    const databases = { none: [], first: ['first'], another: ['first', 'another'] }[name];
    program = start('keepassxc', databases.map(file), directory);
    // The password goes into the dialog, because 2.7.10 crashes with --pw-stdin.
    if (name !== 'none') await answer('unlock');
    await untilCollection(name === 'none' ? 'no collection' : 'unlocked', env);
  };
  await reopen('first');
  return {
    env,
    answer,
    dismissing: (work) => display.answerAll(NOT_OPEN, ['Escape'], work),
    dialogs: () => display.windows(`Access Request|${NOT_OPEN}`),
    async lookup(account) {
      if (!(await hasItem(env, account))) return undefined;
      const [secret] = await Promise.all([
        run('secret-tool', ['lookup', ...attributesOf(account)], env),
        answer('allow'),
      ]);
      return secret;
    },
    async lock() {
      await answer('lock');
      await untilCollection('locked', env);
    },
    reopen,
  };
}
