/**
 * The README's picture: a real session in bash on a terminal. `npm run test:all -- test/tools/picture.system.test.ts -u`
 * draws it again; read the new picture before you commit it.
 */
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type IdentityServer, startIdentityServer } from '../harness/endpoints/identity-server';
import { listen } from '../harness/endpoints/listen';
import { loginArgs } from '../harness/homes/client';
import { openDirectory } from '../harness/homes/directory';
import { runCommand } from '../harness/programs/program';
import { copyProgram } from '../harness/programs/program-copy';
import { openTerminal } from '../harness/programs/terminal';
import { ROOT } from '../harness/root';

/** A keytar that stores items in a file, so that drawing the picture needs no desktop. */
const FILE_KEYTAR = `
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const file = __dirname + '/items.json';
const items = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
const save = () => writeFileSync(file, JSON.stringify(items));
module.exports = {
  getPassword: async (service, account) => items[service + account] ?? null,
  setPassword: async (service, account, value) => { items[service + account] = value; save(); },
  deletePassword: async (service, account) => { const had = delete items[service + account]; save(); return had; },
};`;
const CLIENTS = ['acme-eu', 'acme-test'].map((clientId) => ({
  clientId,
  clientSecret: `${clientId}-secret`,
}));
const TYPED = [
  'gwtoken get',
  'gwtoken curl GATEWAY/orders',
  'eval $(gwtoken env)',
  'gwtoken whoami',
  'gwtoken status',
];

/** Plays a session, in which a client of the profile "test" is stored already. Returns what the terminal received. */
async function play(identity: IdentityServer, gatewayUrl: string, home: string): Promise<string> {
  const { dir, program } = copyProgram(FILE_KEYTAR);
  writeFileSync(join(dir, 'gwtoken'), `#!/bin/sh\nexec ${program.join(' ')} "$@"\n`, { mode: 0o755 });
  const env = { HOME: home, PATH: `${dir}:${process.env['PATH']}`, PS1: '\\[\\e[32m\\]$\\[\\e[39m\\] ' };
  // Without bracketed paste, which writes escape sequences around each line.
  const INPUTRC = join(dir, 'inputrc');
  writeFileSync(INPUTRC, 'set enable-bracketed-paste off\n');
  const bus = { DBUS_SESSION_BUS_ADDRESS: `unix:path=${dir}` };
  const [eu, other] = CLIENTS;
  const stored = loginArgs({ authUrl: identity.authUrl, ...other, flags: ['--profile', 'test'] });
  const login = await runCommand([...program, ...stored], {
    env: { ...env, ...bus },
    stdin: other!.clientSecret,
  });
  expect(login).toMatchObject({ code: 0 });

  const terminal = openTerminal(['bash', '--norc', '--noprofile'], {
    cwd: home,
    env: { ...env, ...bus, INPUTRC },
  });
  const type = async (text: string, next: RegExp) => {
    terminal.type(`${text}\r`);
    await terminal.waitFor(next);
  };
  await terminal.waitFor(/^\$ $/);
  await type('gwtoken login --region eu', /Auth URL[^\n]*: $/);
  await type(identity.authUrl, /Client ID[^\n]*: $/);
  await type(eu!.clientId, /Client secret[^\n]*: $/);
  await type(eu!.clientSecret, /\n\$ $/);
  for (const typed of TYPED) {
    const line = typed.replace('GATEWAY', gatewayUrl);
    const literal = line.replaceAll(/[.$()]/g, '\\$&');
    await type(line, new RegExp(`\\$ ${literal}\\n([^]*\\n)?\\$ $`));
  }
  return terminal.raw();
}

const FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace";
const [COLUMN, ROW, MARGIN] = [8.4, 20, 20];
const STYLES: Readonly<Record<string, string>> = {
  1: 'font-weight="bold"',
  31: 'fill="#f87171"',
  32: 'fill="#4ade80"',
  36: 'fill="#22d3ee"',
};
const SIGNS: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Returns a terminal's output as SVG. A row shows the text after the last carriage return. */
function draw(raw: string): string {
  const rows = raw
    .replaceAll('\x1b', '␛')
    .replace(/␛\[(?!1G)\d*[A-JK]/g, '')
    .split('\n')
    .map((line) => line.replace(/\r+$/, '').replace(/^.*(\r|␛\[1G)/s, ''))
    .slice(0, -1);
  const lengths = rows.map((row) => row.replace(/␛\[\d+m/g, '').length);
  const width = Math.ceil(2 * MARGIN + COLUMN * Math.max(...lengths));
  const height = 2 * MARGIN + ROW * rows.length;
  const texts = rows.map((row, at) => {
    const place = `x="${MARGIN}" y="${MARGIN + ROW * at + 14}" textLength="${(COLUMN * lengths[at]!).toFixed(1)}"`;
    const styled = row
      .replace(/[&<>]/g, (sign) => SIGNS[sign]!)
      .replace(/␛\[(\d+)m(.*?)␛\[\d+m/g, (_, style, text) => `<tspan ${STYLES[style]}>${text}</tspan>`);
    return `<text ${place} xml:space="preserve">${styled}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>gwtoken in a terminal: login, get, curl, env, an error with its hint, and status</title>
<rect width="${width}" height="${height}" rx="8" fill="#18181b"/>
<g font-family="${FONT}" font-size="14" fill="#d4d4d8">
${texts.join('\n')}
</g>
</svg>
`;
}

test('the picture in the README shows what a session prints', async ({ needs }) => {
  needs('linux', 'bash', 'curl');
  const identity = await startIdentityServer({ clients: CLIENTS });
  const gateway = await listen(createServer((_, response) => response.end('["order 1","order 2"]\n')));
  const home = openDirectory();
  const raw = await play(identity, gateway.url, home);
  const shown = Object.entries({
    [identity.authUrl]: 'https://identity.eu.example.com',
    [gateway.url]: 'https://gateway.example.com',
    [home]: '/home/me',
    [identity.issued.at(-1)!]: 'DSYAzfztPJ_gHau2y1jmlhetRt1uyM8TZnOvNB3f4W4',
  });
  const masked = shown.reduce((text, [real, example]) => text.replaceAll(real, example), raw);
  await expect(draw(masked)).toMatchFileSnapshot(join(ROOT, '.github', 'terminal.svg'));
});
