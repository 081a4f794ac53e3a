/** The README's picture: what it shows was typed and printed in a real session. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../harness/root';
import { PICTURE_LINES } from './picture-lines';

test('the picture in the README shows the lines that npm run picture types, and no path of a machine', () => {
  const svg = readFileSync(join(ROOT, '.github', 'terminal.svg'), 'utf8');
  const rows = [...svg.matchAll(/^<g>(.*)<\/g>$/gm)].map(([, row]) => row!.replaceAll(/<[^>]*>/g, '').trim());
  expect(rows.filter((row) => row.startsWith('$ '))).toEqual(PICTURE_LINES.map((line) => `$ ${line}`));
  expect(rows.join('\n')).not.toMatch(/127\.0\.0\.1|localhost|warning:|\s\(?\/(?!oauth2\/token)/);
});
