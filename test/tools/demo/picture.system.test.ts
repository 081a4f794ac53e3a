import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PICTURE_COLUMNS, PICTURE_LINES } from './picture-lines';
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

/** The elements that are open at the end; throws at what XML does not allow. Strict for what our pictures consist of. */
function openElements(xml: string): string[] {
  const open: string[] = [];
  const pieces = /<(\/?)([a-z]+)((?: [\w:-]+="[^"<&]*")*)(\/?)>|(?:[^<>&]|&(?:amp|lt|gt|quot);)+|(.)/gis;
  for (const [piece, end, name, attributes, empty, wrong] of xml.matchAll(pieces)) {
    if (wrong !== undefined) throw new Error(`not well-formed at ${JSON.stringify(wrong)}`);
    if (name === undefined) continue;
    const names = [...attributes!.matchAll(/([\w:-]+)=/g)].map(([, each]) => each);
    if (new Set(names).size < names.length) throw new Error(`an attribute twice: ${piece}`);
    if (end) {
      if (open.pop() !== name) throw new Error(`${piece} closes what is not open`);
    } else if (!empty) open.push(name);
  }
  return open;
}

describe('the picture in the README', () => {
  test('is well-formed, of its columns, and says what it is', () => {
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" .*<\/svg>\s*$/s);
    expect(openElements(svg)).toEqual([]);
    expect(svg).toMatch(/<title>.+<\/title>/);
    expect(Math.max(...rows(svg).map((row) => row.length))).toBeLessThanOrEqual(PICTURE_COLUMNS);
    expect(rows(svg).length).toBeLessThan(50);
  });

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
    expect(openElements(picture)).toEqual([]);
    expect(rows(picture)).toEqual([`<a> & "b" ${'x'.repeat(70)}`, 'x'.repeat(10), '', 'end']);
    expect(picture).toMatch(/fill="#f87171">&lt;a&gt; &amp; &quot;b&quot;<\/text>/);
    expect(picture).toMatch(/font-weight="bold">end<\/text>/);
  });

  test('refuses what it would draw wrongly', () => {
    expect(() => terminalSvg('\x1b[2Kgone', 'x', 80)).toThrow('cannot draw "\\u001b[2Kgone"');
    expect(() => terminalSvg('\x1b[44mblue\x1b[49m', 'x', 80)).toThrow('cannot draw the SGR code 44');
  });
});
