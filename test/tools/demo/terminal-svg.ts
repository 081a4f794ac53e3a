/**
 * A terminal's text as an SVG. Our own, since ansi-to-svg brings fourteen packages with it for what is a page here, and
 * svg-term draws animations, with React 16.
 */
import { stripVTControlCharacters } from 'node:util';

const FONT_SIZE = 14;
const CELL = { width: 8.4, height: 20 };
const MARGIN = 20;
const TEXT = '#d4d4d8';
const BACKGROUND = '#18181b';
const DIM = '#8b8b94';
/** SGR 31 to 37; black on a dark ground is nothing that we print. */
const COLOURS = ['#f87171', '#4ade80', '#facc15', '#60a5fa', '#e879f9', '#22d3ee', '#fafafa'];

interface Style {
  readonly fill: string | undefined;
  readonly bold: boolean;
  readonly dim: boolean;
}
interface Run {
  readonly column: number;
  readonly text: string;
  readonly style: Style;
}

const PLAIN: Style = { fill: undefined, bold: false, dim: false };

/**
 * Draws lines of text, wrapped hard as a terminal does; cells of one look that follow each other are one run.
 * @param text one column for each character; of escape sequences only SGR 0, 1, 2, 22, 31 to 37 and 39 (ECMA-48)
 * @param title read out in place of the picture
 * @param columns its width
 * @throws Error at any other escape sequence, which would be drawn wrongly
 */
export function terminalSvg(text: string, title: string, columns: number): string {
  const rows = rowsOf(text.replace(/\n$/, ''), columns);
  const width = 2 * MARGIN + columns * CELL.width;
  const height = 2 * MARGIN + rows.length * CELL.height;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${escaped(title)}</title>
<rect width="${width}" height="${height}" rx="8" fill="${BACKGROUND}"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${FONT_SIZE}" fill="${TEXT}">
${rows.map(rowSvg).join('\n')}
</g>
</svg>
`;
}

function rowsOf(text: string, columns: number): Run[][] {
  const rows: Run[][] = [];
  let style = PLAIN;
  for (const line of text.split('\n')) {
    let row: Run[] = [];
    let column = 0;
    rows.push(row);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is looked for.
    for (const [index, part] of line.split(/\x1b\[([\d;]*)m/).entries()) {
      if (index % 2 === 1) {
        style = part.split(';').map(Number).reduce(styled, style);
        continue;
      }
      if (stripVTControlCharacters(part) !== part) throw new Error(`cannot draw ${JSON.stringify(part)}`);
      for (let rest = [...part]; rest.length > 0; ) {
        if (column === columns) {
          row = [];
          column = 0;
          rows.push(row);
        }
        const fitting = rest.splice(0, columns - column);
        const last = row.at(-1);
        if (last && last.column + [...last.text].length === column && isSame(last.style, style)) {
          row[row.length - 1] = { ...last, text: last.text + fitting.join('') };
        } else row.push({ column, text: fitting.join(''), style });
        column += fitting.length;
      }
    }
  }
  return rows;
}

function isSame(one: Style, other: Style): boolean {
  return one.fill === other.fill && one.bold === other.bold && one.dim === other.dim;
}

function styled(style: Style, code: number): Style {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, dim: true };
  if (code === 22) return { ...style, bold: false, dim: false };
  if (code === 39) return { ...style, fill: undefined };
  const fill = COLOURS[code - 31];
  if (fill === undefined) throw new Error(`cannot draw the SGR code ${code}`);
  return { ...style, fill };
}

function rowSvg(row: readonly Run[], index: number): string {
  const y = MARGIN + index * CELL.height + FONT_SIZE;
  const runs = row.map(({ column, text, style }) => {
    const fill = style.fill ?? (style.dim ? DIM : undefined);
    // The length keeps columns in line whatever the reader's font.
    const length = round([...text].length * CELL.width);
    return `<text x="${round(MARGIN + column * CELL.width)}" y="${y}" textLength="${length}" xml:space="preserve"${
      fill === undefined ? '' : ` fill="${fill}"`
    }${style.bold ? ' font-weight="bold"' : ''}>${escaped(text)}</text>`;
  });
  return `<g>${runs.join('')}</g>`;
}

function round(length: number): number {
  return Math.round(length * 10) / 10;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
