/** `npm run picture`: draws the README's picture of a terminal from a session that it runs with the real program. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { pictureLines } from './picture-lines';
import { openSession } from './session';
import { type Stage, setStage } from './stage';
import { terminalSvg } from './terminal-svg';

const FILE = '.github/terminal.svg';

/** Short, since the picture shows paths in it. */
const HOME = '/tmp/me';

async function main(): Promise<void> {
  const stage = await setStage();
  try {
    // The default profile of a real keychain may hold a person's own clients.
    if (stage.keychain.kind !== 'private')
      throw new Error(`needs a keyring of its own: ${stage.keychain.why}`);
    // Refuses a folder that is there already: it is removed at the end.
    mkdirSync(HOME, { mode: 0o700 });
    try {
      const shown = await play(stage);
      const title = 'gwtoken in a terminal: login, get, env and status';
      writeFileSync(join(import.meta.dirname, '..', '..', FILE), terminalSvg(shown, title));
      console.log(`${shown}\nThis is now in ${FILE}.`);
    } finally {
      rmSync(HOME, { recursive: true, force: true });
    }
  } finally {
    await stage.strike();
  }
}

/** The session's text, with the colours that a terminal would be given. */
async function play({ env, eu }: Stage): Promise<string> {
  const { GWTOKEN_CONFIG_DIR: _config, GWTOKEN_CACHE_DIR: _cache, ...rest } = env;
  const own = {
    ...rest,
    HOME,
    XDG_CONFIG_HOME: join(HOME, '.config'),
    XDG_CACHE_HOME: join(HOME, '.cache'),
    SECRET: eu.production.clientSecret,
    FORCE_COLOR: '1',
  };
  let shown = '';
  const session = openSession('sh', own, (text) => {
    const plain = stripVTControlCharacters(text);
    // Typed lines have a look of their own here, whether or not this script has a terminal.
    shown += plain.startsWith('$ ') ? `\x1b[32m$\x1b[39m \x1b[1m${plain.slice(2, -1)}\x1b[22m\n` : text;
  });
  const stop = (): void => session.stop();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  for (const { typed, ...wanted } of pictureLines(eu.identity)) await session.run(typed, wanted);
  process.off('SIGINT', stop).off('SIGTERM', stop);
  return shown;
}

void main().catch((error) => {
  console.error(`picture: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
});
