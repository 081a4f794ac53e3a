/** `npm run picture`: draws the README's picture of a terminal from a session in it with the real program. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { type IBufferCell, Terminal as Screen } from '@xterm/headless';
import { buildPackage } from '../../harness/builds.mjs';
import { cleanUp } from '../../harness/clean-up';
import { makeAuthority } from '../../harness/endpoints/authority';
import { startIdentityServer } from '../../harness/endpoints/identity-server';
import { listen } from '../../harness/endpoints/listen';
import { openFolder } from '../../harness/homes/folder';
import { startKeyring } from '../../harness/keyrings/keyring';
import { missing } from '../../harness/needs';
import { linkProgram } from '../../harness/programs/program';
import { openTerminal, type Terminal } from '../../harness/programs/terminal';
import { PICTURE_COLUMNS, PICTURE_LINES } from './picture-lines';
import { terminalSvg } from './terminal-svg';

const FILE = '.github/terminal.svg';
const TITLE = 'gwtoken in a terminal: login, get, exec and status';
const ROWS = 60;

/** Short, since the picture may show paths in it. */
const HOME = '/tmp/me';
const NAME = 'identity.eu.example.com';
const CLIENT = { clientId: 'acme-eu', clientSecret: 'a secret of the picture' };

async function main(): Promise<void> {
  buildPackage();
  const reason = missing('keyring');
  if (reason !== undefined) throw new Error(reason);
  // Refuses a folder that is there already: it is removed at the end.
  mkdirSync(HOME, { mode: 0o700 });
  try {
    const terminal = openTerminal(['bash', '--norc', '--noprofile', '-i'], {
      env: await environment(),
      cwd: HOME,
      cols: PICTURE_COLUMNS,
      rows: ROWS,
    });
    const shown = await screenOf(await play(terminal));
    writeFileSync(
      join(import.meta.dirname, '..', '..', '..', FILE),
      terminalSvg(shown, TITLE, PICTURE_COLUMNS),
    );
    console.log(`${shown}\nThis is now in ${FILE}.`);
  } finally {
    await cleanUp();
    rmSync(HOME, { recursive: true, force: true });
  }
}

/** A keyring, and an OAuth server that is reached by a public name: a proxy leads there. */
async function environment(): Promise<Record<string, string>> {
  const authority = makeAuthority();
  const tls = authority.issue({ names: `DNS:${NAME}` });
  const identity = await startIdentityServer({ tls, clients: [CLIENT] });
  const { port } = new URL(identity.authUrl);
  const proxy = createServer().on('connect', (_, client) => {
    const server = connect(Number(port), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      server.pipe(client).pipe(server);
    });
    server.on('error', () => client.destroy());
    client.on('error', () => server.destroy());
  });
  const bin = openFolder();
  linkProgram(bin);
  const deploy = '#!/bin/sh\ntest -n "$GWTOKEN_ACCESS_TOKEN" && echo Deployed.\n';
  writeFileSync(join(HOME, 'deploy.sh'), deploy, { mode: 0o755 });
  const { env } = await startKeyring({ state: 'unlocked' });
  return {
    ...env,
    HOME,
    XDG_CONFIG_HOME: join(HOME, '.config'),
    XDG_CACHE_HOME: join(HOME, '.cache'),
    PATH: [bin, process.env['PATH']].join(delimiter),
    PS1: '\\[\\e[32m\\]$\\[\\e[39m\\] ',
    LANG: 'C.UTF-8',
    GWTOKEN_CA_FILE: authority.caFile,
    HTTPS_PROXY: (await listen(proxy)).url,
  };
}

/** Types the lines and the answers, each when it is asked for. Resolves with all that the terminal was sent. */
async function play(terminal: Terminal): Promise<string> {
  const [login, get, exec, status] = PICTURE_LINES;
  const steps: (readonly [after: RegExp, typed: string])[] = [
    [/\$ $/, login],
    [/Region/, ''],
    [/Environment/, ''],
    [/Auth URL/, `https://${NAME}`],
    [/Client ID/, CLIENT.clientId],
    [/Client secret/, CLIENT.clientSecret],
    [/Next: gwtoken get[\s\S]*\n\$ $/, get],
    [/\$ gwtoken get\n[^\n]*[\w-]{43}\n\$ $/, exec],
    [/Deployed\.\n\$ $/, status],
  ];
  for (const [after, typed] of steps) {
    await terminal.waitFor(after);
    terminal.type(`${typed}\r`);
  }
  await terminal.waitFor(/\$ gwtoken status\n[\s\S]+\n\$ $/);
  return terminal.raw();
}

/** What is then on the screen, with its colours, without the last prompt. */
async function screenOf(sent: string): Promise<string> {
  const screen = new Screen({ cols: PICTURE_COLUMNS, rows: ROWS, allowProposedApi: true });
  await new Promise<void>((done) => screen.write(sent, done));
  const { active } = screen.buffer;
  const lines = Array.from({ length: active.baseY + active.cursorY }, (_, row) => {
    const line = active.getLine(row);
    const cells = Array.from({ length: PICTURE_COLUMNS }, (_, column) => line?.getCell(column));
    return cells
      .map((cell) => (cell ? painted(cell) : ' '))
      .join('')
      .trimEnd();
  });
  screen.dispose();
  return `${lines.join('\n')}\n`;
}

/** One cell, with the few SGR codes that terminalSvg draws; the eight bright colours as the others, black as dim. */
function painted(cell: IBufferCell): string {
  const text = cell.getChars() || ' ';
  const colour = cell.isFgPalette() ? cell.getFgColor() : undefined;
  const codes = [
    ...(cell.isBold() ? [1] : []),
    ...(cell.isDim() || colour === 8 ? [2] : []),
    ...(colour === undefined || colour % 8 === 0 ? [] : [30 + (colour % 8)]),
  ];
  return codes.length === 0 || text === ' ' ? text : `\x1b[${codes.join(';')}m${text}\x1b[0m`;
}

void main().catch((error) => {
  console.error(`picture: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
});
