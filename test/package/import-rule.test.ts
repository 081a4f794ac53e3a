import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../harness/root';

/**
 * Imports run one way, from the top of the pipeline down: what each room of src may import, `type:` where only types,
 * `lazy:` where only when it is needed. `node` and `package` stand for Node's own modules and for npm's.
 */
const GROUND = ['client', 'errors', 'type:exit-codes', 'limits', 'person', 'text', 'type:world'];
const MAY_IMPORT: Record<string, readonly string[]> = {
  executable: ['system', 'main'],
  action: ['formats', 'token', 'settings', 'exit-codes', 'system', ...GROUND],
  main: ['quick', 'cli', 'system', ...GROUND, 'node'],
  quick: ['formats', 'token', 'settings', 'flags', ...GROUND],
  cli: ['commands', 'topics', 'settings', 'flags', 'exit-codes', ...GROUND, 'package'],
  commands: ['formats', 'token', 'credentials', 'settings', 'topics', 'flags', 'exit-codes', ...GROUND],
  formats: ['token', 'settings', 'flags', ...GROUND],
  token: ['credentials', 'settings', 'exit-codes', ...GROUND, 'lazy:node:crypto'],
  credentials: ['settings', ...GROUND],
  system: [...GROUND, 'node', 'package'],
  flags: ['settings'],
  settings: [...GROUND],
  topics: ['errors', 'text'],
  // Types only; the module that `crypto()` gives is named by its type.
  world: ['type:client', 'lazy:node:crypto'],
  client: ['errors', 'text'],
  errors: ['type:exit-codes'],
  'exit-codes': [],
  limits: ['errors'],
  person: ['type:world'],
  text: [],
};

interface Import {
  readonly file: string;
  /** The room of the file, and what it imports: another room, `package`, or a module of Node's. */
  readonly from: string;
  readonly to: string;
  readonly how: 'value' | 'type' | 'lazy';
}

const SRC = join(ROOT, 'src');
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts'));
const specifiers = files.flatMap((file) => specifiersOf(file, readFileSync(join(SRC, file), 'utf8')));
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
  return readFileSync(join(SRC, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
}

function roomOf(path: string): string {
  return path.replace(/\.(ts|md)$/, '').split('/')[0]!;
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
    expect(imports).toContainEqual({ file: 'main.ts', from: 'main', to: 'cli', how: 'lazy' });
    expect(imports).toContainEqual({ file: 'cli/run.ts', from: 'cli', to: 'package', how: 'value' });
  });

  test('sees each way to import', () => {
    const text =
      "import './a';\nimport type { B } from './b';\nexport {\n  c,\n} from './c';\nvoid import('./d');\n";
    const seen = specifiersOf('x.ts', text).map(({ specifier, how }) => `${how} ${specifier}`);
    expect(seen).toEqual(['value ./a', 'type ./b', 'value ./c', 'lazy ./d']);
  });

  test('refuses what it must', () => {
    expect(isAllowed({ file: '', from: 'commands', to: 'system', how: 'value' })).toBe(false);
    expect(isAllowed({ file: '', from: 'token', to: 'node:fs', how: 'value' })).toBe(false);
    expect(isAllowed({ file: '', from: 'token', to: 'world', how: 'value' })).toBe(false);
    expect(isAllowed({ file: '', from: 'system', to: 'token', how: 'type' })).toBe(false);
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
    expect(graph.get('quick.ts')).toContain('flags.ts');
    expect(circles).toEqual([]);
  });

  test('only system warns in its own words, starts timers and draws random numbers', () => {
    const own =
      /\b(setTimeout|setInterval|setImmediate|Date\.now|Math\.random|randomUUID)\b|gwtoken: warning/;
    const users = files.filter((file) => own.test(codeOf(file)));
    expect(users).toContain('system/world.ts');
    expect(users.filter((file) => file !== 'main.ts' && !file.startsWith('system/'))).toEqual([]);
  });

  test('only main.ts touches process', () => {
    // A program of its own, such as the action's or the keychain's child, has a process of its own.
    const own = [
      'main.ts',
      'action.ts',
      'executable.ts',
      'system/keychain/child.ts',
      'system/keychain/keytar.ts',
      'system/wire/lookup-child.ts',
    ];
    const touches = /(?<![\w.-])process(\.|;| as |\))|[(=,] *process,|node:process|\bglobalThis\b/;
    const users = files.filter((file) => !own.includes(file) && touches.test(codeOf(file)));
    expect(users).toEqual([]);
  });
});
