/** Each line that a shell may evaluate prints statements that fail. See also test/shells. */
import { expect, test } from 'vitest';
import { inside } from '../harness/homes/in-process';
import { FAILING_LINES } from '../shells/failing-lines';

test.each([...FAILING_LINES, 'gte', '-r us'])(
  'gwtoken %s fails in the shell that evaluates it',
  async (line) => {
    const gw = inside();
    gw.env = {};
    const { code, stdout, stderr } = await gw.cli(line.split(' ').filter(Boolean));
    expect(code).toBeGreaterThan(0);
    expect(stdout).toMatch(new RegExp(`^unset GWTOKEN_ACCESS_TOKEN;\n[^]*\nsh -c "exit ${code}";\n$`));
    expect(stderr).not.toBe('');
  },
);

test.each(['get --bogus', '-r mars get', 'status extra', '-v logout', 'doctor --format json', 'config show'])(
  'gwtoken %s, whose output no shell evaluates, prints nothing on stdout',
  async (line) => {
    const gw = inside();
    gw.env = {};
    const { code, stdout } = await gw.cli(line.split(' '));
    expect([code > 0, stdout]).toEqual([true, '']);
  },
);

test('the statements have the format and prefix of the flags, wherever they stand', async () => {
  const gw = inside();
  for (const argv of [
    '--format fish --prefix A_ envv',
    'envv --format=fish --prefix A_',
    '--format fish --prefix A_ env --format',
    '--bogus env --format csh --format fish --prefix=A_',
  ])
    expect((await gw.cli(argv.split(' '))).stdout).toMatch(/^set -eg A_ACCESS_TOKEN; or true;\n/);
});
