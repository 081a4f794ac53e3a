/** What stands in a pipe or on a terminal: plain text, and colours only where they can be shown. */
import { describe, expect, test } from 'vitest';
import { openHome } from '../harness/homes/home';

describe('what gwtoken prints', () => {
  test.each([[['get']], [['--help']], [['help', 'environment']]])(
    '%j in a pipe is ASCII without an escape sequence',
    async (args) => {
      const { stdout, stderr } = await openHome().gwtoken(args);
      expect(`${stdout}${stderr}`).toMatch(/^[\n -~]+$/);
    },
  );

  test.for(['NO_COLOR=1', 'TERM=dumb'])(
    'on a terminal with %s has no colours',
    async (variable, { needs }) => {
      needs('posix');
      const { raw, code } = await onTerminal(variable);
      expect(code).toBe(2);
      expect(raw).not.toContain('\x1b');
      expect(raw).toContain('gwtoken: error: no region set\r\nhint: ');
    },
  );

  test('on a terminal that can show them has colours', async ({ needs }) => {
    needs('posix');
    expect((await onTerminal('TERM=xterm-256color')).raw).toContain('\x1b[31merror:');
  });
});

async function onTerminal(variable: string): Promise<{ raw: string; code: number | null }> {
  const shown = openHome().terminal(['get'], { wrapper: ['env', variable] });
  const { code } = await shown.exit;
  return { raw: shown.raw(), code };
}
