/** The README and CONTRIBUTING name what there is. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TOPICS } from '../../src/cli/topics';
import { ROOT } from '../harness/root';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const { scripts } = JSON.parse(read('package.json')) as { scripts: object };

test('the README leads to every topic', () => {
  const text = read('README.md');
  for (const name of Object.keys(TOPICS)) expect(text).toContain(`[${name}](src/cli/topics/${name}.md)`);
});

/** Wherever they stand: in prose, in a block of code, as the target of a link. */
const PATHS = /(?<![\w./~-])(?:src|test|bin|\.ci|\.github)\/[\w./-]*\w/g;

describe.each([
  ['README.md', 'src/cli/topics/settings.md'],
  ['.github/CONTRIBUTING.md', 'src/token/get-token.ts'],
])('%s', (document, one) => {
  const text = read(document);

  test('names files and folders that there are', () => {
    const paths = text.match(PATHS) ?? [];
    expect(paths).toContain(one);
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  test('names scripts that there are', () => {
    const named = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, script]) => script!);
    expect(named).toContain('bench');
    expect(named.filter((script) => !Object.hasOwn(scripts, script))).toEqual([]);
  });
});
