/** A report is lines: what a name, a path or the other side puts into them makes no others, and writes over none. */
import { expect, test } from 'vitest';
import { openReport } from '../../src/commands/report';

const plain = (text: string): string => text;
const PAINT = { bold: plain, dim: plain, red: plain, green: plain, yellow: plain, cyan: plain };
const BAD = 'a\nb\x1b[2J\u202e';
const SHOWN = 'a\\u000ab\\u001b[2J\\u202e';

test.each(['before names', 'before messages'] as const)('with marks %s', async (marks) => {
  let text = '';
  const report = await openReport(
    { width: 4, marks },
    {
      stdout: {
        isTTY: () => false,
        write: (more) => {
          text += more;
        },
      },
      terminal: { paint: async () => PAINT } as never,
      env: { HOME: '/home/u' },
      platform: 'linux',
    },
  );
  report.section('title', [{ name: 'row', result: 'failed', message: BAD, hints: [BAD] }], 'note');
  report.table(['A', 'B'], [[BAD, 'x']]);
  report.paragraph(`in /home/u/c ${BAD}`, [BAD], 'warning');
  const [row, indent] = marks === 'before names' ? ['FAIL row   ', 10] : ['row   FAIL ', 8];
  expect(text).toBe(
    [
      'title note',
      `  ${row}${SHOWN}`,
      `${' '.repeat(indent)}fix: ${SHOWN}`,
      '',
      `A${' '.repeat(SHOWN.length - 1)}  B`,
      `${SHOWN}  x`,
      '',
      `warn in ~/c ${SHOWN}`,
      `  fix: ${SHOWN}`,
      '',
    ].join('\n'),
  );
});
