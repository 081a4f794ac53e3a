/** `npm run picture`: draws the README's picture of a terminal from a session in it with the real program. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
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
import { linkProgram, runCommand } from '../../harness/programs/program';
import { openTerminal, type Terminal } from '../../harness/programs/terminal';
import { PICTURE_COLUMNS, PICTURE_LINES } from './picture-lines';
import { terminalSvg } from './terminal-svg';

const FILE = '.github/terminal.svg';
const TITLE = 'gwtoken in a terminal: login, get, curl, env, an error with its hint, and status';
const ROWS = 60;

/** Short, since the picture may show paths in it. */
const HOME = '/tmp/me';
const NAME = 'identity.eu.example.com';
const GATEWAY = 'gateway.example.com';
const CLIENT = { clientId: 'acme-eu', clientSecret: 'a secret of the picture' };
const SANDBOX = { clientId: 'acme-eu-test', clientSecret: 'a secret of the sandbox' };

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

/** A keyring with a client of the sandbox, and servers that are reached by public names: a proxy leads there. */
async function environment(): Promise<Record<string, string>> {
  const authority = makeAuthority();
  const tls = authority.issue({ names: `DNS:${NAME}` });
  const identity = await startIdentityServer({ tls, clients: [CLIENT, SANDBOX] });
  const gateway = createTlsServer(authority.issue({ names: `DNS:${GATEWAY}` }), (_, response) =>
    response.end('Hello, acme-eu!\n'),
  );
  const ports: Readonly<Record<string, string>> = {
    [NAME]: new URL(identity.authUrl).port,
    [GATEWAY]: new URL((await listen(gateway)).url).port,
  };
  const proxy = createServer().on('connect', ({ url = '' }, client) => {
    const server = connect(Number(ports[url.split(':')[0]!]), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      server.pipe(client).pipe(server);
    });
    server.on('error', () => client.destroy());
    client.on('error', () => server.destroy());
  });
  const bin = openFolder();
  linkProgram(bin);
  const { env } = await startKeyring({ state: 'unlocked' });
  const all = {
    ...env,
    HOME,
    XDG_CONFIG_HOME: join(HOME, '.config'),
    XDG_CACHE_HOME: join(HOME, '.cache'),
    PATH: [bin, process.env['PATH']].join(delimiter),
    PS1: '\\[\\e[32m\\]$\\[\\e[39m\\] ',
    LANG: 'C.UTF-8',
    GWTOKEN_CA_FILE: authority.caFile,
    CURL_CA_BUNDLE: authority.caFile,
    HTTPS_PROXY: (await listen(proxy)).url,
  };
  const login = `gwtoken login --region eu --sandbox --auth-url https://${NAME} --client-id ${SANDBOX.clientId} --secret-stdin`;
  const { code, stderr } = await runCommand(['sh', '-c', `printf '${SANDBOX.clientSecret}' | ${login}`], {
    env: all,
  });
  if (code !== 0) throw new Error(stderr);
  return all;
}

/** Types the lines and the answers, each when it is asked for. Resolves with all that the terminal was sent. */
async function play(terminal: Terminal): Promise<string> {
  const [login, get, curl, evaluate, failing, status] = PICTURE_LINES;
  const prompt = /\n\$ $/.source;
  const steps: (readonly [after: RegExp, typed: string])[] = [
    [/\$ $/, login],
    [/Auth URL for/, `https://${NAME}`],
    [/Client ID/, CLIENT.clientId],
    [/Client secret/, CLIENT.clientSecret],
    [new RegExp(`Next: gwtoken get[\\s\\S]*${prompt}`), get],
    [new RegExp(`[\\w-]{43}${prompt}`), curl],
    [new RegExp(`Hello, acme-eu!${prompt}`), evaluate],
    [/\$ eval \$\(gwtoken env\)\s+\$ $/, failing],
    [new RegExp(`error: [\\s\\S]*${prompt}`), status],
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
