import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CLIENT_FLAGS, FETCH_FLAGS, spellings } from '../../src/flags';
import { configKeys } from '../../src/settings/config-keys';
import { ROOT } from '../harness/root';

const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
const scripts = (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object }).scripts;

/** The rows of the table below a heading, cells trimmed, without its head. */
function table(heading: string): string[][] {
  const section = readme.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((row) =>
    row
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim())
      .slice(1, -1),
  );
}

describe('the README', () => {
  test('names every config key, and every flag and variable that settings have', () => {
    for (const key of configKeys()) expect(readme).toContain(`\`${key}\``);
    const settings = table('Settings')
      .map(([, flag]) => flag)
      .join(' ');
    const flags = [...CLIENT_FLAGS, ...FETCH_FLAGS];
    expect(flags.length).toBeGreaterThan(8);
    for (const flag of flags) expect(settings).toContain(spellings(flag)[0]);
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
