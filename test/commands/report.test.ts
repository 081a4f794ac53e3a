/** A report is lines: what a name, a path or the other side puts into them makes no others, and writes over none. */
import { expect, test } from 'vitest';
import { openReport, type Report } from '../../src/commands/report';

/** What is written to a stream; each colour is its name in brackets before the text, if there are any. */
async function written(
  marks: 'before names' | 'before messages',
  { isTerminal, hasUnicode = true }: { isTerminal: boolean; hasUnicode?: boolean },
  write: (report: Report) => void,
): Promise<string> {
  const painted = (name: string) => (text: string) => (isTerminal ? `(${name})${text}` : text);
  const [bold, dim, cyan] = ['bold', 'dim', 'cyan'].map(painted);
  const [red, green, yellow] = ['red', 'green', 'yellow'].map(painted);
  let text = '';
  const report = await openReport(
    { width: 4, marks },
    {
      stdout: {
        isTTY: () => isTerminal,
        write: (more) => {
          text += more;
        },
      },
      terminal: {
        async paint(stream: string) {
          expect(stream).toBe('stdout');
          return { bold, dim, cyan, red, green, yellow };
        },
        hasUnicode: () => hasUnicode,
      } as never,
      env: { HOME: '/home/u' },
      platform: 'linux',
    },
  );
  write(report);
  return text;
}

const BAD = 'a\nb\x1b[2J\u202e';
const SHOWN = 'a\\u000ab\\u001b[2J\\u202e';

test.each(['before names', 'before messages'] as const)('with marks %s', async (marks) => {
  const text = await written(marks, { isTerminal: false }, (report) => {
    const fix = `in /home/u/c ${BAD}`;
    report.section('title', [{ name: 'row', result: 'failed', message: BAD, hints: [fix] }], 'note');
    report.table(['A', 'B'], [[BAD, 'x']]);
    report.paragraph(`in /home/u/c ${BAD}`, [fix], 'warning');
  });
  const [row, indent] = marks === 'before names' ? ['FAIL row   ', 10] : ['row   FAIL ', 8];
  expect(text).toBe(
    [
      'title note',
      `  ${row}${SHOWN}`,
      `${' '.repeat(indent)}fix: in ~/c ${SHOWN}`,
      '',
      `A${' '.repeat(SHOWN.length - 1)}  B`,
      `${SHOWN}  x`,
      '',
      `warn in ~/c ${SHOWN}`,
      `  fix: in ~/c ${SHOWN}`,
      '',
    ].join('\n'),
  );
});

const ROWS = (['ok', 'warning', 'failed', 'skipped'] as const).map((result) => ({
  name: 'row',
  result,
  message: 'text',
  hints: result === 'failed' ? ['do this'] : [],
}));

test('on a terminal each result has its sign and colour', async () => {
  expect(await written('before names', { isTerminal: true }, (report) => report.section('title', ROWS))).toBe(
    `(bold)title
  (green)✔ row   text
  (yellow)! row   text
  (red)✖ row   text
          (cyan)fix: do this
  (dim)- row   (dim)text
`,
  );
  const text = await written('before messages', { isTerminal: true, hasUnicode: false }, (report) => {
    report.section('title', [...ROWS, { name: 'last', message: 'text' }], 'note');
    report.table(['HEAD', 'B'], [['x', 'y']]);
    report.paragraph('text', ['do this'], 'failed');
  });
  expect(text).toBe(`(bold)title (dim)note
  (dim)row   (green)ok   text
  (dim)row   (yellow)warn text
  (dim)row   (red)FAIL text
        (cyan)fix: do this
  (dim)row   (dim)skip (dim)text
  (dim)last  text

(bold)HEAD  B
x     y

(red)FAIL text
  (cyan)fix: do this
`);
});
