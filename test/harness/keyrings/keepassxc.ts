import type { ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../programs/processes';
import { startDisplay } from './display';
import { attributesOf, hasItem, untilCollection } from './secret-service';
import { type Environment, endHelper, run, startSession } from './session';

const PASSWORD = 'pw';
const GROUP = '00112233-4455-6677-8899-aabbccddeeff';

/** A database that shows its only group to the Secret Service if `exposes`, which a user has to set. */
const database = (exposes: string) => `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<KeePassFile>
  <Meta>
    <DatabaseName>db</DatabaseName>
    <RecycleBinEnabled>True</RecycleBinEnabled>
    <CustomData>${exposes}</CustomData>
  </Meta>
  <Root>
    <Group>
      <UUID>${Buffer.from(GROUP.replaceAll('-', ''), 'hex').toString('base64')}</UUID>
      <Name>Root</Name>
    </Group>
  </Root>
</KeePassFile>`;
const EXPOSING = database(`<Item><Key>FDO_SECRETS_EXPOSED_GROUP</Key><Value>{${GROUP}}</Value></Item>`);
const DATABASES = { exposed: EXPOSING, another: EXPOSING, 'not exposed': database('') };

/** The Secret Service is off by default; all else that concerns it is as KeePassXC has it. */
const SETTINGS = `[General]
ConfigVersion=2
UpdateCheckMessageShown=true
OpenPreviousDatabasesOnStartup=false
[GUI]
CheckForUpdates=false
[FdoSecrets]
Enabled=true
`;

/** The title of a dialog, and the keys that answer it. */
const ANSWERS = {
  allow: ['Access Request', ['Return']],
  deny: ['Access Request', ['Escape']],
  dismiss: ['Unlock Database', ['Escape']],
  unlock: ['\\[Locked\\] - KeePassXC', [...PASSWORD, 'Return']],
} as const;
/** The dialogs that open where there is no open database. */
const NOT_OPEN = 'Unlock Database|Create a new KeePassXC database';

export type KeePassXCAnswer = keyof typeof ANSWERS;
/** The open database: one that shows a group, another beside that (locked), one that shows none, or none. */
export type OpenDatabase = keyof typeof DATABASES | 'none';

/** A KeePassXC whose person is a test. */
export interface KeePassXC {
  /** HOME, XDG_*, DBUS_SESSION_BUS_ADDRESS and DISPLAY. */
  readonly env: Environment;
  /** Waits for a dialog, and answers it. */
  answer(answer: KeePassXCAnswer): Promise<void>;
  /** Dismisses what asks for an open database, as often as it does so while the work is under way. */
  dismissing<T>(work: Promise<T>): Promise<T>;
  /** How many dialogs stand there. */
  dialogs(): Promise<number>;
  /** The secret of an account, which the person lets secret-tool see; undefined when there is none. */
  lookup(account: string): Promise<string | undefined>;
  lock(): Promise<void>;
  /** Ends it, and starts it with another database. */
  reopen(database: OpenDatabase): Promise<void>;
}

/** Starts a session bus, a screen and a KeePassXC of its own; the database that exposes a group is open. */
export async function startKeePassXC(): Promise<KeePassXC> {
  const display = await startDisplay();
  const { dir, env, withPath, home, start } = await startSession(display);
  const file = (name: string) => join(dir, `${name}.kdbx`);
  for (const [name, xml] of Object.entries(DATABASES)) {
    writeFileSync(join(dir, 'db.xml'), xml);
    const create = ['import', '-q', '-p', '-t', '100', join(dir, 'db.xml'), file(name)];
    await run('keepassxc-cli', create, withPath, `${PASSWORD}\n`.repeat(2));
  }
  mkdirSync(join(home.XDG_CONFIG_HOME, 'keepassxc'), { recursive: true });
  writeFileSync(join(home.XDG_CONFIG_HOME, 'keepassxc', 'keepassxc.ini'), SETTINGS);
  // A second KeePassXC of a user talks to the first one, which it finds by a file in the temporary directory.
  const directory = { TMPDIR: home.XDG_RUNTIME_DIR };
  const answer: KeePassXC['answer'] = (how) => {
    const [title, keys] = ANSWERS[how];
    return display.answer(title, keys);
  };
  let program: ChildProcess | undefined;
  const reopen = async (name: OpenDatabase) => {
    // It saves a moment after a change, and its title has a star until then.
    await until('it has saved', async () => (await display.windows('\\* - KeePassXC')) === 0);
    if (program) await endHelper(program);
    const locked = name === 'another' ? ['exposed'] : [];
    const names = name === 'none' ? [] : [...locked, name];
    program = start('keepassxc', names.map(file), directory);
    // Not by --pw-stdin, at which 2.7.10 ends with a fault of its own.
    if (name !== 'none') await answer('unlock');
    const shows = name === 'exposed' || name === 'another';
    await untilCollection(shows ? 'unlocked' : 'no collection', withPath);
  };
  await reopen('exposed');
  return {
    env,
    answer,
    dismissing: (work) => display.answerAll(NOT_OPEN, ['Escape'], work),
    dialogs: () => display.windows(`Access Request|${NOT_OPEN}`),
    async lookup(account) {
      if (!(await hasItem(withPath, account))) return undefined;
      const [secret] = await Promise.all([
        run('secret-tool', ['lookup', ...attributesOf(account)], withPath),
        answer('allow'),
      ]);
      return secret;
    },
    async lock() {
      await run('keepassxc', ['--lock'], { ...withPath, ...directory });
      await untilCollection('locked', withPath);
    },
    reopen,
  };
}
