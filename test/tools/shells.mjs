// npm run test:shells -- --values 5000 --seed 7: the tests of the shells alone, with so many random values for each shell.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const { values } = parseArgs({ options: { values: { type: 'string' }, seed: { type: 'string' } } });
const bad = Object.entries(values).find(([, value]) => !/^[1-9]\d*$/.test(value));
if (bad) throw new Error(`--${bad[0]} takes a whole number above zero, not ${JSON.stringify(bad[1])}`);

/** @type {NodeJS.ProcessEnv} */
const env = { ...process.env };
env['SHELL_VALUES'] = values.values ?? '5000';
if (values.seed) env['SHELL_SEED'] = values.seed;

const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const config = ['--config', 'test/vitest.config.ts', '--configLoader', 'runner', '--reporter=verbose'];
const run = spawnSync(process.execPath, [vitest, 'run', ...config, 'test/shells'], {
  cwd: root,
  env,
  stdio: 'inherit',
});
process.exitCode = run.status ?? 1;
