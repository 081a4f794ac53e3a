/** A report is lines: a name, a path or the other side's text makes no further ones, and overwrites none. */
import { expect, test } from 'vitest';
import { openReport, type Report } from '../../src/commands/report';

/** What is written to a stream; each colour is its name in brackets before the text, if there are any. */
async function written(
  { isTerminal, hasUnicode = true }: { isTerminal: boolean; hasUnicode?: boolean },
  write: (report: Report) => void,
): Promise<string> {
  const painted = (name: string) => (text: string) => (isTerminal ? `(${name})${text}` : text);
  const [bold, dim, cyan] = ['bold', 'dim', 'cyan'].map(painted);
  const [red, green, yellow] = ['red', 'green', 'yellow'].map(painted);
  let text = '';
  const report = await openReport({
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
  });
  write(report);
  return text;
}

const BAD = 'a\nb\x1b[2J\u202e';
const SHOWN = 'a\\u000ab\\u001b[2J\\u202e';

test('a report in a pipe is plain text, a line each message', async () => {
  const long = 'word '.repeat(40).trim();
  const text = await written({ isTerminal: false }, (report) => {
    const hints = [`in /c ${BAD}`];
    report.line({ result: 'failed', message: `in /c ${BAD}`, hints });
    report.line({ result: 'warning', message: long }, 2);
    report.gap();
    report.text(BAD, hints);
    report.table(['A', 'B'], [{ cells: [BAD, 'x'], selected: true, result: { column: 1, is: 'ok' } }]);
  });
  expect(text).toBe(`FAIL in /c ${SHOWN}
  hint: in /c ${SHOWN}
  warn ${long}

${SHOWN}
  hint: in /c ${SHOWN}
A${' '.repeat(SHOWN.length - 1)}  B
${SHOWN}  x
`);
});

test('a report on a terminal has signs and colours, also for the selected row and OK', async () => {
  const text = await written({ isTerminal: true }, (report) => {
    for (const result of ['ok', 'warning', 'failed', 'skipped'] as const)
      report.line({ result, message: 'text', hints: ['do this'] });
    const ok = { column: 1, is: 'ok' } as const;
    report.table(['A', 'B'], [{ cells: ['x', 'y'], selected: true, result: ok }, { cells: ['z', 'failed'] }]);
  });
  const hint = '  (cyan)hint: do this\n';
  expect(text).toBe(`(green)✔ text
${hint}(yellow)! text
${hint}(red)✖ text
${hint}(dim)- text
${hint}(bold)A  B
(bold)x  (green)y
z  failed
`);
  const ascii = (report: Report) => report.line({ result: 'ok', message: 'text' });
  expect(await written({ isTerminal: true, hasUnicode: false }, ascii)).toBe('(green)ok   text\n');
});
