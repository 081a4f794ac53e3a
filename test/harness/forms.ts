/**
 * Which tests run for both forms of the program: each file that starts it, itself or by a module of the harness. Those
 * that are about functions run once, and so do those that are about the files of the npm package.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * About one form only: the npm package's files, what it loads of them, Node for Windows; what only the executable has;
 * the action, which is a program of its own on a Node that npm fetches.
 */
const OF_ONE_FORM =
  /^test\/(package|executable|demo|harness|windows)\/|^test\/sessions\/action|keychain-platforms\.test/;

/** What starts the program, by its name in test/harness/programs. */
const STARTERS = /\b(runProgram|startProgram|openGwtoken|GWTOKEN|GWTOKEN_SH)\b/;
const HARNESS = 'test/harness/programs';

/** The test files for the executable, relative to the root of the project. */
export function programTests(root: string): string[] {
  const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .map((file) => join('test', file).replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts'));
  const imports = new Map(
    files.map((file) => [file, importsOf(file, readFileSync(join(root, file), 'utf8'))]),
  );
  const starts = (file: string, seen: ReadonlySet<string>): boolean =>
    (imports.get(file) ?? []).some(
      ({ names, from }) =>
        (from.startsWith(HARNESS) && STARTERS.test(names)) ||
        (!from.startsWith(HARNESS) && !seen.has(from) && starts(from, new Set([...seen, from]))),
    );
  return files.filter(
    (file) => file.endsWith('.test.ts') && !OF_ONE_FORM.test(file) && starts(file, new Set([file])),
  );
}

/** What a file imports of our own: the names, and the path from the root. Types start nothing. */
function importsOf(file: string, text: string): { readonly names: string; readonly from: string }[] {
  return [...text.matchAll(/^import (?!type )([^;]*?) from '(\.[^']+)';/gm)].map(([, names, path]) => ({
    names: names!,
    from: `${join(file, '..', path!).replaceAll('\\', '/')}.ts`,
  }));
}
