import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PICTURE_LINES } from './picture-lines';
import { terminalSvg } from './terminal-svg';

const svg = readFileSync(join(import.meta.dirname, '..', '..', '..', '.github', 'terminal.svg'), 'utf8');

/** The text of each row. */
function rows(picture: string): string[] {
  return [...picture.matchAll(/^<g>(.*)<\/g>$/gm)].map(([, row]) =>
    row!
      .replaceAll(/<[^>]*>/g, '')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&amp;', '&'),
  );
}

describe('the picture in the README', () => {
  test('shows the lines that npm run picture types, and no others', () => {
    const text = rows(svg).join('\n');
    expect(text.match(/^\$ .*$/gm)).toEqual(PICTURE_LINES.map((line) => `$ ${line}`));
    expect(text).not.toMatch(/127\.0\.0\.1|localhost|warning:/);
  });

  test('names no directory but those below ~', () => {
    const folders = [
      ...rows(svg)
        .join('')
        .matchAll(/\s\(?(\/[^\s)]+)/g),
    ].map(([, path]) => path!);
    // The end of the token endpoint, as the prompt names it.
    expect(folders.filter((path) => !path.startsWith('/oauth2/token'))).toEqual([]);
  });
});

describe('terminalSvg', () => {
  test('escapes, colours and wraps', () => {
    const picture = terminalSvg(
      `\x1b[31m<a> & "b"\x1b[39m ${'x'.repeat(80)}\n\n\x1b[1mend\x1b[22m\n`,
      '<&>',
      80,
    );
    expect(rows(picture)).toEqual([`<a> & "b" ${'x'.repeat(70)}`, 'x'.repeat(10), '', 'end']);
    expect(picture).toMatch(/fill="#f87171">&lt;a&gt; &amp; &quot;b&quot;<\/text>/);
    expect(picture).toMatch(/font-weight="bold">end<\/text>/);
  });

  test('refuses what it would draw wrongly', () => {
    expect(() => terminalSvg('\x1b[2Kgone', 'x', 80)).toThrow('cannot draw "\\u001b[2Kgone"');
    expect(() => terminalSvg('\x1b[44mblue\x1b[49m', 'x', 80)).toThrow('cannot draw the SGR code 44');
  });
});
