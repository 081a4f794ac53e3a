/** Compares the tables in `gwtoken help settings` with the settings; `-u` draws them again. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SETTINGS, type SettingRow, variableOf } from '../../src/settings/table';
import { ROOT } from '../harness/root';

const ROWS: readonly SettingRow<unknown>[] = Object.values(SETTINGS);

const code = (text: string | undefined): string => (text ? `\`${text}\`` : '');

/** Returns a flag's forms as code: `-r`, `--region`. */
function flagCell({ flags = {} }: SettingRow<unknown>): string {
  const [spec = ''] = Object.keys(flags);
  return spec.replace(/ <.*/, '').split(', ').map(code).join(', ');
}

/** Words for the defaults that depend on something else, by key. */
const DEFAULTS: Readonly<Record<string, string>> = {
  'min-ttl': '5 min or 20% of the lifetime, whichever is less',
  'ca-file': "built-in CAs, then the system's",
  'keychain-timeout': '1 min on a desktop terminal, else 10 s',
};

function defaultCell({ key, fallback, show = String }: SettingRow<unknown>): string {
  return fallback === undefined ? (DEFAULTS[key] ?? '') : show(fallback);
}

/** Returns a Markdown table whose columns are as wide as their widest cell. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((row) => row[at]!.length)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at]!)).join(' | ')} |\n`;
  const rule = widths.map((width) => '-'.repeat(width));
  return [head, rule, ...rows].map(line).join('');
}

/** Returns a document in which the first tables below a heading are replaced. */
function drawn(file: string, heading: string, tables: readonly string[]): string {
  const text = readFileSync(file, 'utf8');
  const at = text.indexOf(`${heading}\n`);
  const rest = [...tables];
  return text.slice(0, at) + text.slice(at).replace(/(?:^\|.*\n)+/gm, (old) => rest.shift() ?? old);
}

test('gwtoken help settings shows the tables in 80 columns', async () => {
  const names = ROWS.map((row) => [flagCell(row), code(variableOf(row, row.key)), code(row.key)]);
  const defaults = ROWS.map((row) => [row.name ?? row.key, defaultCell(row)]).filter(
    ([, value]) => value !== '',
  );
  const file = join(ROOT, 'src', 'cli', 'topics', 'settings.md');
  const tables = [table(['flag', 'variable', 'config key'], names), table(['setting', 'default'], defaults)];
  await expect(drawn(file, '# Settings: flags, variables, config keys', tables)).toMatchFileSnapshot(file);
});
