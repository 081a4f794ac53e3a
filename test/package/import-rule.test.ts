/**
 * Imports run one way, from the programs down to the ground: the rooms that each may import, `type:` for
 * types, `lazy:` when they are needed. `node` and `package` stand for Node's own modules and for npm's.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../harness/root';

const GROUND = ['client', 'errors', 'exit-codes', 'text', 'waiting', 'world'];
const BELOW_COMMANDS = ['formats', 'token', 'credentials', 'settings', ...GROUND];
const MAY_IMPORT: Record<string, readonly string[]> = {
  bin: ['cli', 'commands', ...BELOW_COMMANDS, 'system', 'node'],
  cli: ['commands', ...BELOW_COMMANDS, 'package'],
  commands: BELOW_COMMANDS,
  formats: ['token', 'settings', ...GROUND],
  token: ['credentials', 'settings', ...GROUND],
  credentials: ['settings', ...GROUND],
  settings: GROUND,
  system: [...GROUND, 'node', 'package'],
  world: ['type:client'],
  client: ['errors', 'text'],
  errors: ['type:exit-codes'],
  'exit-codes': [],
  text: [],
  waiting: ['errors', 'type:world'],
};

interface Import {
  readonly file: string;
  /** The room of the file, and what it imports: another room, `package`, or a module of Node's. */
  readonly from: string;
  readonly to: string;
  readonly how: 'value' | 'type' | 'lazy';
}

const files = ['src', 'bin']
  .flatMap((top) =>
    readdirSync(join(ROOT, top), { recursive: true, encoding: 'utf8' }).map((file) => join(top, file)),
  )
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts') && !file.startsWith('bin/build/'));
const specifiers = files.flatMap((file) => specifiersOf(file, readFileSync(join(ROOT, file), 'utf8')));
const imports = specifiers.map(({ file, specifier, how }): Import => {
  return { file, from: roomOf(file), to: target(file, specifier), how };
});

/** What a file imports, in whatever way: for its names, its types or its effects, and when it is needed. */
function specifiersOf(file: string, text: string) {
  const statics = text.matchAll(/^(?:import|export) (type )?(?:[^;']*? from )?'([^']+)';/gm);
  const lazies = text.matchAll(/\bimport\('([^']+)'\)/g);
  return [
    ...[...statics].map(([, type, to]) => ({ file, specifier: to!, how: type ? 'type' : 'value' }) as const),
    ...[...lazies].map(([, to]) => ({ file, specifier: to!, how: 'lazy' }) as const),
  ];
}

/** A file without its comments. */
function codeOf(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
}

function roomOf(path: string): string {
  const [top, room = ''] = path.replace(/\.(ts|md)$/, '').split('/');
  return top === 'bin' ? top : room;
}

function target(file: string, specifier: string): string {
  if (specifier.startsWith('node:')) return specifier;
  if (!specifier.startsWith('.')) return 'package';
  return roomOf(join(file, '..', specifier).replaceAll('\\', '/'));
}

function isAllowed({ from, to, how }: Import): boolean {
  if (from === to) return true;
  const allowed = MAY_IMPORT[from] ?? [];
  const kind = to.startsWith('node:') ? 'node' : to;
  if (allowed.includes(kind) || allowed.includes(`${how}:${to}`)) return true;
  return how === 'type' && allowed.includes(`type:${kind}`);
}

describe('the import rule', () => {
  test('sees the imports that there are', () => {
    expect(imports.length).toBeGreaterThan(50);
    expect(imports).toContainEqual({ file: 'bin/gwtoken.ts', from: 'bin', to: 'cli', how: 'lazy' });
    expect(imports).toContainEqual({ file: 'src/cli/run.ts', from: 'cli', to: 'package', how: 'value' });
  });

  test('holds for every file', () => {
    expect(imports.filter((each) => !isAllowed(each))).toEqual([]);
  });

  test('runs in no circle, not even of types', () => {
    const graph = new Map<string, string[]>(files.map((file) => [file, []]));
    for (const { file, specifier } of specifiers) {
      const to = `${join(file, '..', specifier).replaceAll('\\', '/')}.ts`;
      if (specifier.startsWith('.') && graph.has(to)) graph.get(file)?.push(to);
    }
    const done = new Set<string>();
    const circles: string[] = [];
    const walk = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' > '));
      if (path.includes(file) || done.has(file)) return;
      for (const next of graph.get(file) ?? []) walk(next, [...path, file]);
      done.add(file);
    };
    for (const file of files) walk(file, []);
    expect(graph.get('src/cli/quick.ts')).toContain('src/commands/flags.ts');
    expect(circles).toEqual([]);
  });

  test('only system warns in its own words, starts timers and draws random numbers', () => {
    const own =
      /\b(setTimeout|setInterval|setImmediate|Date\.now|Math\.random|randomUUID)\b|gwtoken: warning/;
    const users = files.filter((file) => own.test(codeOf(file)));
    expect(users).toContain('src/system/world.ts');
    expect(users.filter((file) => !/^(bin|src\/system)\//.test(file))).toEqual([]);
  });

  test('no limit is one of AbortSignal.timeout or .any: Node 20 collects them before their time', () => {
    const users = files.filter((file) => /AbortSignal\.(timeout|any)\b/.test(codeOf(file)));
    expect(users).toEqual([]);
  });

  test('only the programs of bin touch process', () => {
    // The keychain's child is a program of its own.
    const own = /^bin\/|^src\/system\/keychain\/(child|keytar)\.ts$/;
    const touches = /(?<![\w.-])process(\.|;| as |\))|[(=,] *process,|node:process|\bglobalThis\b/;
    const users = files.filter((file) => !own.test(file) && touches.test(codeOf(file)));
    expect(users).toEqual([]);
  });
});
