/** `npm run picture`: draws the README's picture of a terminal from a session in it with the real program. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type IBufferCell, type IBufferLine, Terminal as Screen } from '@xterm/headless';
import { buildPackage } from '../harness/builds.mjs';
import { cleanUp } from '../harness/clean-up';
import { makeAuthority } from '../harness/endpoints/authority';
import { startIdentityServer } from '../harness/endpoints/identity-server';
import { listen } from '../harness/endpoints/listen';
import { openFolder } from '../harness/homes/folder';
import { startKeyring } from '../harness/keyrings/keyring';
import { missing } from '../harness/needs';
import { linkProgram, runCommand } from '../harness/programs/program';
import { openTerminal, type Terminal } from '../harness/programs/terminal';
import { ROOT } from '../harness/root';
import { PICTURE_LINES } from './picture-lines';

const FILE = '.github/terminal.svg';
const TITLE = 'gwtoken in a terminal: login, get, curl, env, an error with its hint, and status';
const PICTURE_COLUMNS = 100;
const ROWS = 60;
const FONT_SIZE = 14;
const CELL = { width: 8.4, height: 20 };
const MARGIN = 20;
const TEXT = '#d4d4d8';
const BACKGROUND = '#18181b';
const DIM = '#8b8b94';
/** SGR 31 to 37; black on a dark ground is nothing that we print. */
const COLOURS = ['#f87171', '#4ade80', '#facc15', '#60a5fa', '#e879f9', '#22d3ee', '#fafafa'];

/** Short, since the picture may show paths in it. */
const HOME = '/tmp/me';
const NAME = 'identity.eu.example.com';
const GATEWAY = 'gateway.example.com';
const CLIENT = { clientId: 'acme-eu', clientSecret: 'a secret of the picture' };
const OTHER = { clientId: 'acme-eu-test', clientSecret: 'a secret of another profile' };

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
    const sent = await play(terminal);
    writeFileSync(join(ROOT, FILE), await drawn(sent));
    console.log(`${terminal.screen()}\nThis is now in ${FILE}.`);
  } finally {
    await cleanUp();
    rmSync(HOME, { recursive: true, force: true });
  }
}

/** A keyring with a client of another profile, and servers reached by public names: a proxy leads there. */
async function environment(): Promise<Record<string, string>> {
  const authority = makeAuthority();
  const tls = authority.issue({ names: `DNS:${NAME}` });
  const identity = await startIdentityServer({ tls, clients: [CLIENT, OTHER] });
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
  const { env } = await startKeyring({ state: 'unlocked' });
  const all = {
    ...env,
    HOME,
    XDG_CONFIG_HOME: join(HOME, '.config'),
    XDG_CACHE_HOME: join(HOME, '.cache'),
    PATH: linkProgram(openFolder()),
    PS1: '\\[\\e[32m\\]$\\[\\e[39m\\] ',
    LANG: 'C.UTF-8',
    GWTOKEN_CA_FILE: authority.caFile,
    CURL_CA_BUNDLE: authority.caFile,
    HTTPS_PROXY: (await listen(proxy)).url,
  };
  const login = `gwtoken login --region eu --profile test --auth-url https://${NAME} --client-id ${OTHER.clientId} --secret-stdin`;
  const { code, stderr } = await runCommand(['sh', '-c', `printf '${OTHER.clientSecret}' | ${login}`], {
    env: all,
  });
  if (code !== 0) throw new Error(stderr);
  return all;
}

/** Types the lines and the answers, each when it is asked for. Resolves with all that the terminal got. */
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

/** The screen after all this, as an SVG, without the last prompt. */
async function drawn(sent: string): Promise<string> {
  const screen = new Screen({ cols: PICTURE_COLUMNS, rows: ROWS, allowProposedApi: true });
  await new Promise<void>((done) => screen.write(sent, done));
  const { active } = screen.buffer;
  const rows = Array.from({ length: active.baseY + active.cursorY }, (_, row) => active.getLine(row));
  const width = 2 * MARGIN + PICTURE_COLUMNS * CELL.width;
  const height = 2 * MARGIN + rows.length * CELL.height;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${TITLE}</title>
<rect width="${width}" height="${height}" rx="8" fill="${BACKGROUND}"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${FONT_SIZE}" fill="${TEXT}">
${rows.map(rowSvg).join('\n')}
</g>
</svg>
`;
}

/** One row of the screen: cells of one look that follow each other are one run. */
function rowSvg(row: IBufferLine | undefined, index: number): string {
  const y = MARGIN + index * CELL.height + FONT_SIZE;
  const runs: { column: number; text: string; look: string }[] = [];
  const length = row?.translateToString(true).length ?? 0;
  for (let column = 0; column < length; column++) {
    const cell = row?.getCell(column);
    const text = cell?.getChars() || ' ';
    const look = cell && text !== ' ' ? lookOf(cell) : '';
    const last = runs.at(-1);
    if (last?.look === look) last.text += text;
    else runs.push({ column, text, look });
  }
  const texts = runs.map(({ column, text, look }) => {
    // The length keeps columns in line whatever the reader's font.
    const [x, width] = [MARGIN + column * CELL.width, text.length * CELL.width].map((each) =>
      each.toFixed(1),
    );
    return `<text x="${x}" y="${y}" textLength="${width}" xml:space="preserve"${look}>${escaped(text)}</text>`;
  });
  return `<g>${texts.join('')}</g>`;
}

/** The eight bright colours as the others, and bright black as dim. */
function lookOf(cell: IBufferCell): string {
  const colour = cell.isFgPalette() ? cell.getFgColor() : undefined;
  const isDim = cell.isDim() || colour === 8;
  const fill = colour !== undefined && colour % 8 > 0 ? COLOURS[(colour % 8) - 1] : isDim ? DIM : undefined;
  return `${fill === undefined ? '' : ` fill="${fill}"`}${cell.isBold() ? ' font-weight="bold"' : ''}`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

void main().catch((error) => {
  console.error(`picture: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
});
