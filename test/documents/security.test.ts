import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../harness/root';

const text = readFileSync(join(ROOT, '.github', 'SECURITY.md'), 'utf8');

/** The rows of the table that begins with these cells. */
function table(...heads: string[]): string[][] {
  const lines = text.split('\n').map((line) => line.split(/ *\| */).slice(1, -1));
  const start = lines.findIndex((cells) => cells.join() === heads.join());
  expect(start).toBeGreaterThan(0);
  const rest = lines.slice(start + 2);
  return rest.slice(
    0,
    rest.findIndex((cells) => cells.length === 0),
  );
}

test('SECURITY.md names a test that there is for each row of what is protected', () => {
  const tried = new Map<string, number>();
  const wrong: string[] = [];
  let whom = '';
  for (const [first = '', file = '', name = ''] of table('from whom', 'file', 'test')) {
    whom = first || whom;
    tried.set(whom, (tried.get(whom) ?? 0) + 1);
    const path = join(ROOT, 'test', `${file.replaceAll('`', '')}.test.ts`);
    const title = name.replaceAll(/^`|`$/g, '');
    const titles = [`'${title}'`, `\`${title}\``];
    if (!existsSync(path) || !titles.some((each) => readFileSync(path, 'utf8').includes(each)))
      wrong.push(`${file} ${name}`);
  }
  expect(wrong).toEqual([]);
  const rows = table('from whom', 'the client secret', 'the access token').map(([first]) => first);
  expect(rows.length).toBeGreaterThan(10);
  // Whom gwtoken does not promise anything needs no test.
  expect([...tried.keys(), 'the next person at a lost disk']).toEqual(rows);
});
