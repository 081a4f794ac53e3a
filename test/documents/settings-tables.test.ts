/** The tables of settings in the documents, drawn from the rows; `vitest run -u` on this file draws them anew. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CLIENT_FLAGS, FETCH_FLAGS, spellings } from '../../src/flags';
import { keysOf, type Row, SETTINGS, variableOf } from '../../src/settings/table';
import { theSame } from '../../src/settings/words';
import { ROOT } from '../harness/root';

const ROWS: readonly Row<unknown>[] = Object.values(SETTINGS);
const FLAGS = [...CLIENT_FLAGS, ...FETCH_FLAGS];

const code = (text: string | undefined): string => (text ? `\`${text.replaceAll('|', '\\|')}\`` : '');

/** `-r`, `--region`; with all, each spelling and what it takes. */
function flagCell(row: Row<unknown>, all = false): string {
  const flag = FLAGS.find(({ setting }) => setting === row);
  if (!flag) return '';
  const value = all && flag.value ? ` ${flag.value}` : '';
  const long = spellings(flag).map((name) => `${name}${value}`);
  return [...(flag.short ? [`-${flag.short}`] : []), ...(all ? long : long.slice(0, 1))].map(code).join(', ');
}

/** The names of a client's own values first, as they are looked up; the sandbox's stand below the table. */
function nameCell(
  row: Row<unknown>,
  plain: string | undefined,
  name: (key: string) => string | undefined,
): string {
  if (row.scope !== 'client') return code(plain);
  const own = keysOf(row).filter((key) => key.startsWith(`${row.key}.`));
  return `${own.map((key) => code(name(key))).join(', ')}, then ${code(name(row.key))}`;
}

function defaultCell({ fallback, otherwise = '', show = String }: Row<unknown>): string {
  return fallback === undefined ? otherwise : show(fallback);
}

/** @param aligned with each column as wide as its widest cell, for those who read it as it stands */
function table(head: readonly string[], rows: readonly (readonly string[])[], aligned = false): string {
  const widths = head.map((_, at) =>
    aligned ? Math.max(...[head, ...rows].map((row) => row[at]!.length)) : 0,
  );
  const line = (cells: readonly string[]) =>
    `|${cells.map((cell, at) => (cell === '' && !aligned ? '' : ` ${cell}`.padEnd(widths[at]! + 1))).join(' |')} |\n`;
  const rule = widths.map((width) => '-'.repeat(width || 3));
  return [head, rule, ...rows].map(line).join('');
}

/** A document with the first tables below a heading drawn anew. */
function drawn(file: string, heading: string, tables: readonly string[]): string {
  const text = readFileSync(file, 'utf8');
  const at = text.indexOf(`${heading}\n`);
  const rest = [...tables];
  return text.slice(0, at) + text.slice(at).replace(/(?:^\|.*\n)+/gm, (old) => rest.shift() ?? old);
}

test('README has the table of all settings', async () => {
  const rows = ROWS.map((row) => [
    row.name,
    flagCell(row, true),
    nameCell(row, theSame(row)[0], (key) => variableOf(row, key)),
    nameCell(row, row.key, (key) => key),
    defaultCell(row),
  ]);
  const file = join(ROOT, 'README.md');
  const head = ['setting', 'flag', 'variable', 'config key', 'default'];
  await expect(drawn(file, '## Settings', [table(head, rows)])).toMatchFileSnapshot(file);
});

test('gwtoken help environment has them in 80 columns', async () => {
  const names = ROWS.map((row) => [flagCell(row), code(variableOf(row, row.key)), code(row.key)]);
  const defaults = ROWS.map((row) => [row.name, defaultCell(row)]).filter(([, value]) => value !== 'none');
  const file = join(ROOT, 'src', 'topics', 'environment.md');
  const tables = [
    table(['flag', 'variable', 'config key'], names, true),
    table(['setting', 'default'], defaults, true),
  ];
  await expect(drawn(file, '# Settings', tables)).toMatchFileSnapshot(file);
});
