/** Help that is longer than the terminal goes through the user's pager. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { type Home, openHome } from '../../harness/homes/home';

beforeEach(({ needs }) => needs('posix'));

/** A pager that marks each line it gets, and shows which of gwtoken's variables it has. */
function pagerIn(home: Home): string {
  const pager = join(home.dir, 'my pager');
  writeFileSync(pager, `#!/bin/sh\nsed 's/^/paged: /'; env | grep -c SECRET\n`, { mode: 0o755 });
  return `'${pager}'`;
}

test('a long help is paged on a terminal, and the pager gets no secret', async () => {
  const home = openHome({ GWTOKEN_CLIENT_SECRET: 'x' });
  const shown = home.terminal(['help', 'network'], { wrapper: ['env', `PAGER=${pagerIn(home)}`] });
  expect((await shown.exit).code).toBe(0);
  expect(shown.raw()).toContain('paged: ');
  expect(shown.raw()).toMatch(/\n0\r\n$/);
});

test('a short help, an empty PAGER and a pager that is missing: the text itself', async () => {
  const home = openHome();
  for (const [args, pager] of [
    [['--version'], pagerIn(home)],
    [['help', 'network'], ''],
    [['help', 'network'], '/no/such/pager'],
  ] as const) {
    const shown = home.terminal(args, { wrapper: ['env', `PAGER=${pager}`] });
    expect((await shown.exit).code).toBe(0);
    expect(shown.raw()).toMatch(/^(0\.|[\s\S]*gwtoken doctor)/);
    expect(shown.raw()).not.toContain('paged: ');
  }
});

test('a pager of less without LESS shows colours', async ({ needs }) => {
  needs('less');
  const shown = openHome().terminal(['help', 'network'], { wrapper: ['env', '-u', 'LESS', 'PAGER=less'] });
  const text = await shown.waitFor('NETWORK');
  shown.type('q');
  await shown.exit;
  expect(text).not.toContain('ESC[');
  expect(shown.raw()).toContain('\x1b[1m');
});

test('without PAGER, less is looked for in absolute directories only', async () => {
  const home = openHome();
  const bin = join(home.dir, 'bin');
  mkdirSync(bin);
  writeFileSync(join(home.dir, 'less'), "#!/bin/sh\nsed 's/^/planted: /'\n", { mode: 0o755 });
  writeFileSync(join(bin, 'less'), "#!/bin/sh\nsed 's/^/paged: /'\n", { mode: 0o755 });
  const path = `PATH=:${bin}:${dirname(process.execPath)}:/usr/bin:/bin`;
  const wrapper = ['env', '-C', home.dir, '-u', 'PAGER', path];
  const shown = home.terminal(['help', 'network'], { wrapper });
  expect((await shown.exit).code).toBe(0);
  expect(shown.raw()).toMatch(/^paged: /);
});
