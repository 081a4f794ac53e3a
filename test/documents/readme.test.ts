import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { configKeys } from '../../src/settings/config-keys';
import { ROOT } from '../harness/root';

const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
const scripts = (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object }).scripts;

describe('the README', () => {
  test('names every config key', () => {
    for (const key of configKeys()) expect(readme).toContain(`\`${key}\``);
  });

  test('names files and scripts that there are', () => {
    const files = [...readme.matchAll(/`((?:src|test|bin|\.ci)\/[\w./-]+\.\w+|\.ci\/run)`/g)].map(
      ([, file]) => file!,
    );
    expect(files.length).toBeGreaterThan(15);
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
    const named = [...readme.matchAll(/npm run (\w+)/g)].map(([, script]) => script!);
    expect(named.filter((script) => !Object.hasOwn(scripts, script))).toEqual([]);
    expect(named).toContain('demo');
  });
});
