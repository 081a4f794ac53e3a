import { writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startDisplay } from './display';
import { programsAvailable } from './private-home';
import { attributesOf, hasItem, untilCollection } from './secret-service';
import { startSession } from './session';
import { type Environment, run } from './session-bus';

/** Why KeePassXC cannot be started here, worded for `ctx.skip()`; undefined when it can. */
export const keepassxcAvailable = (): string | undefined =>
  programsAvailable({
    keepassxc: 'keepassxc',
    Xvfb: 'xvfb',
    xdotool: 'xdotool',
    'dbus-daemon': 'dbus-daemon',
    'dbus-send': 'dbus-bin',
    'secret-tool': 'libsecret-tools',
  });

const PASSWORD = 'of a throwaway database';
const GROUP = '00112233-4455-6677-8899-aabbccddeeff';

/** A database that shows its only group to the Secret Service, as a user has to set it in its settings. */
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

/** The Secret Service is off by default; all else that concerns it is as KeePassXC has it. */
const SETTINGS = `[General]
ConfigVersion=2
UpdateCheckMessageShown=true
[GUI]
CheckForUpdates=false
[FdoSecrets]
Enabled=true
`;

const REQUEST = 'Access Request';

/** A KeePassXC whose person is a test; its database is open. */
export interface KeePassXC {
  /** HOME, XDG_*, DBUS_SESSION_BUS_ADDRESS and DISPLAY. */
  readonly env: Environment;
  /** Waits for the dialog that asks whether a program may see an item, and answers it. */
  answer(answer: 'allow' | 'deny'): Promise<void>;
  /** How many such dialogs stand there. */
  requests(): Promise<number>;
  /** The secret of an account, which the person lets secret-tool see; undefined when there is none. */
  lookup(account: string): Promise<string | undefined>;
  lock(): Promise<void>;
}

/** Starts a session bus, a screen and a KeePassXC that nobody else sees. */
export async function startKeePassXC(): Promise<KeePassXC> {
  const display = await startDisplay();
  const { dir, env, withPath, home, start } = await startSession(display);
  const [xml, database] = [join(dir, 'db.xml'), join(dir, 'db.kdbx')];
  writeFileSync(xml, DATABASE);
  await mkdir(join(home.XDG_CONFIG_HOME, 'keepassxc'), { recursive: true });
  writeFileSync(join(home.XDG_CONFIG_HOME, 'keepassxc', 'keepassxc.ini'), SETTINGS);
  await run(
    'keepassxc-cli',
    ['import', '-q', '-p', '-t', '100', xml, database],
    withPath,
    `${PASSWORD}\n`.repeat(2),
  );
  // A second KeePassXC of a user talks to the first one, which it finds by a file in the temporary folder.
  const folder = { TMPDIR: home.XDG_RUNTIME_DIR };
  const program = start('keepassxc', ['--pw-stdin', database], folder);
  program.stdin?.end(`${PASSWORD}\n`);
  await untilCollection('unlocked', withPath);

  const answer: KeePassXC['answer'] = (how) =>
    display.answer(REQUEST, [how === 'allow' ? 'Return' : 'Escape']);
  return {
    env,
    answer,
    requests: () => display.windows(REQUEST),
    async lookup(account) {
      if (!(await hasItem(withPath, account))) return undefined;
      const [secret] = await Promise.all([
        run('secret-tool', ['lookup', ...attributesOf(account)], withPath),
        answer('allow'),
      ]);
      return secret;
    },
    async lock() {
      await run('keepassxc', ['--lock'], { ...withPath, ...folder });
      await untilCollection('locked', withPath);
    },
  };
}
