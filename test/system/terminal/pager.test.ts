/** gwtoken shows help that is longer than the terminal through the user's pager. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { onCleanup } from '../../harness/clean-up';
import { type Home, openHome } from '../../harness/homes/home';

beforeEach(({ needs }) => needs('posix'));

/** Writes a pager that marks each line and counts the variables with SECRET. Returns its quoted path. */
function pagerIn(home: Home): string {
  const pager = join(home.dir, 'my pager');
  writeFileSync(pager, `#!/bin/sh\nsed 's/^/paged: /'; env | grep -c SECRET\n`, { mode: 0o755 });
  return `'${pager}'`;
}

test('help longer than the terminal goes to the pager, which gets no secret', async () => {
  const home = openHome({ GWTOKEN_CLIENT_SECRET: 'x' });
  const shown = home.terminal(['help', 'network'], { wrapper: ['env', `PAGER=${pagerIn(home)}`] });
  expect((await shown.exit).code).toBe(0);
  expect(shown.raw()).toContain('paged: ');
  expect(shown.raw()).toMatch(/\n0\r\n$/);
});

test('help pages no short text, and nothing with TERM=dumb or without a working pager', async () => {
  const home = openHome();
  for (const [args, pager, term] of [
    [['--version'], pagerIn(home), 'xterm'],
    [['help', 'network'], '', 'xterm'],
    [['help', 'network'], '/no/such/pager', 'xterm'],
    [['help', 'network'], pagerIn(home), 'dumb'],
  ] as const) {
    const shown = home.terminal(args, { wrapper: ['env', `PAGER=${pager}`, `TERM=${term}`] });
    expect((await shown.exit).code).toBe(0);
    expect(shown.raw()).toMatch(/^(0\.|[\s\S]*gwtoken doctor)/);
    expect(shown.raw()).not.toContain('paged: ');
  }
});

test('help shows colours in less if LESS is not set', async ({ needs }) => {
  needs('less');
  const shown = openHome().terminal(['help', 'network'], { wrapper: ['env', '-u', 'LESS', 'PAGER=less'] });
  const text = await shown.waitFor('NETWORK');
  shown.type('q');
  await shown.exit;
  expect(text).not.toContain('ESC[');
  expect(shown.raw()).toContain('\x1b[1m');
});

test('a Ctrl-C in the pager does not end gwtoken before the pager', async ({ needs }) => {
  needs('less');
  const shown = openHome().terminal(['help', 'network'], { wrapper: ['env', '-u', 'LESS', 'PAGER=less'] });
  await shown.waitFor('NETWORK');
  shown.type('\x03');
  // A Ctrl-C also discards the input that less has not read, so that a single q may be lost.
  const quits = setInterval(() => shown.type('q'), 200);
  onCleanup(() => clearInterval(quits));
  expect(await shown.exit).toEqual({ code: 0, signal: null });
});

test('help without PAGER searches less only in absolute directories of PATH', async () => {
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
