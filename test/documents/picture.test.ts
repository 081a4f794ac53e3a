/** Draws the README's picture: `npm test -- test/documents/picture.test.ts -u`. Look at it before you commit it. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { words } from '../harness/command-lines';
import { tokenReply } from '../harness/endpoints/token-endpoint';
import { inside } from '../harness/homes/in-process';
import { ROOT } from '../harness/root';

const AUTH_URL = 'https://identity.eu.example.com';
/** The lines that a person types, each with the answers to prompts, or with what another program prints. */
const LINES: readonly { readonly line: string; readonly typed?: string[]; readonly printed?: string }[] = [
  { line: 'gwtoken login --region eu', typed: [AUTH_URL, 'acme-eu', 'a secret'] },
  { line: 'gwtoken get' },
  { line: 'gwtoken curl https://gateway.example.com/orders', printed: '["order 1","order 2"]\n' },
  { line: 'eval $(gwtoken env)', printed: '' },
  { line: 'gwtoken whoami' },
  { line: 'gwtoken status' },
];

/** Returns the text of the terminal. */
async function play(): Promise<string> {
  const gw = inside();
  gw.answer = () => tokenReply('DSYAzfztPJ_gHau2y1jmlhetRt1uyM8TZnOvNB3f4W4');
  gw.env = { XDG_RUNTIME_DIR: '/run/user/1000', FORCE_COLOR: '1' };
  await gw.login({ clientId: 'acme-test', authUrl: AUTH_URL, flags: ['--profile', 'test', '--no-verify'] });
  let shown = '';
  for (const { line, typed, printed } of LINES) {
    Object.assign(gw, { typed, nowMs: gw.nowMs + 10_000 });
    const { stdout, stderr } =
      printed === undefined ? await gw.cli(words(line).slice(1)) : { stdout: printed, stderr: '' };
    shown += `\x1b[32m$\x1b[39m ${line}\n${stderr.replace('(not shown)', '')}${stdout}`;
  }
  return shown.replaceAll(gw.config, '/home/me/.config/gwtoken');
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

/** Returns the text of a terminal as SVG. */
function draw(shown: string): string {
  const rows = shown.trimEnd().replaceAll('\x1b', '␛').split('\n');
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
  needs('posix');
  await expect(draw(await play())).toMatchFileSnapshot(join(ROOT, '.github', 'terminal.svg'));
});
