/** Shells that evaluate a line with a fault lose the old variables and get an exit code. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openHome } from '../harness/homes/home';
import { linkProgram, runCommand } from '../harness/programs/program';
import { FAILING_LINES } from './failing-lines';

/** Lines of each shell that evaluate a line of gwtoken, and then show the status and the old variable. */
const EVALUATING: Readonly<Record<string, readonly ((words: string) => string)[]>> = {
  dash: posix(),
  bash: posix(),
  zsh: posix(),
  fish: [
    (words) => `set -gx GWTOKEN_ACCESS_TOKEN OLD
      gwtoken --format fish ${words} 2>/dev/null | source
      echo $status (set -q GWTOKEN_ACCESS_TOKEN; and echo kept; or echo gone)`,
  ],
};

function posix(): ((words: string) => string)[] {
  const set = 'GWTOKEN_ACCESS_TOKEN=OLD; export GWTOKEN_ACCESS_TOKEN';
  const show = `echo "$? $\{GWTOKEN_ACCESS_TOKEN+kept}$\{GWTOKEN_ACCESS_TOKEN-gone}"`;
  return [
    (words) => `${set}; eval $(gwtoken ${words} 2>/dev/null); ${show}`,
    (words) => `${set}; eval "$(gwtoken ${words} 2>/dev/null)"; ${show}`,
    // The line after eval must not run.
    (words) => `(set -e; eval $(gwtoken ${words} 2>/dev/null); echo "went on"); echo "$? gone"`,
  ];
}

/** The line's faults outside its words. */
const REDIRECTED = ['env -r eu <&-', 'env -r eu 2>&-', 'env -r mars 2>&-', 'env -r eu 3</dev/null'];

test.for(Object.keys(EVALUATING))('%s', { timeout: 900_000 }, async (shell, { needs }) => {
  needs('posix', shell as 'zsh');
  const home = openHome();
  const env = { ...home.env, PATH: linkProgram(join(home.dir, 'bin')), LC_ALL: 'C.UTF-8' };
  const lines = [...FAILING_LINES.map((line) => line.replace('#', "'#'")), ...REDIRECTED];
  for (const evaluate of EVALUATING[shell]!) {
    const { stdout } = await runCommand([shell, '-c', lines.map(evaluate).join('\n')], {
      env,
      cwd: home.dir,
      timeoutMs: 600_000,
    });
    const ends = stdout.trimEnd().split('\n');
    const survivors = lines
      .map((line, at) => `${line}: ${ends[at]}`)
      .filter((end) => !/: [1-9]\d* gone$/.test(end));
    expect(survivors).toEqual([]);
    expect(ends).toHaveLength(lines.length);
  }
});
