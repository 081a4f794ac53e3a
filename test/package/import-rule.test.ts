/**
 * Imports run one way, from the programs down to the ground. A room is bin, or a directory or file directly below src.
 * The table lists what each room may import, `type:` for types. `node` and `package` stand for Node's own modules and
 * for npm's.
 * biome.json forbids circular imports, and restricts the use of `process` and timers.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../harness/root';

const GROUND = [
  'client',
  'errors',
  'lock',
  'note',
  'once',
  'post-form',
  'signals',
  'surroundings',
  'system-errors',
  'text',
  'world',
];
const BELOW_COMMANDS = ['hints', 'formats', 'token', 'credentials', 'settings', ...GROUND];
const MAY_IMPORT: Record<string, readonly string[]> = {
  bin: ['cli', 'commands', ...BELOW_COMMANDS, 'system', 'node'],
  cli: ['commands', ...BELOW_COMMANDS, 'package'],
  commands: BELOW_COMMANDS,
  formats: ['token', 'settings', ...GROUND],
  token: ['credentials', 'settings', ...GROUND],
  credentials: ['settings', ...GROUND],
  settings: GROUND,
  system: [...GROUND, 'node', 'package'],
  world: ['type:client', 'type:errors', 'type:lock', 'type:post-form'],
  'post-form': [],
  hints: ['credentials', 'settings', ...GROUND],
  client: [],
  errors: ['type:client'],
  lock: [],
  note: ['text'],
  once: [],
  text: [],
  signals: ['type:world'],
  surroundings: ['client', 'type:world'],
  'system-errors': ['errors'],
};

const files = ['src', 'bin']
  .flatMap((top) =>
    readdirSync(join(ROOT, top), { recursive: true, encoding: 'utf8' }).map((file) => join(top, file)),
  )
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts') && !file.startsWith('bin/build/'));

/** All imports of the files, static and dynamic. */
const imports = files.flatMap((file) => {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const of = (how: string, specifier = '') => {
    return { file, from: roomOf(file), to: target(file, specifier), how };
  };
  const statics = text.matchAll(/^(?:import|export) (type )?(?:[^;']*? from )?'([^']+)';/gm);
  const lazies = text.matchAll(/\bimport\('([^']+)'\)/g);
  return [
    ...[...statics].map(([, type, to]) => of(type ? 'type' : 'value', to)),
    ...[...lazies].map(([, to]) => of('value', to)),
  ];
});

/** Returns a file without its comments. */
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

function isAllowed({ from, to, how }: (typeof imports)[number]): boolean {
  const allowed = MAY_IMPORT[from] ?? [];
  const kind = to.startsWith('node:') ? 'node' : to;
  return from === to || allowed.includes(kind) || allowed.includes(`${how}:${kind}`);
}

const SYSTEM_ONLY = /\b(Date\.now|Math\.random|randomUUID)\b|gwtoken: warning/;
const ABORTS = /AbortSignal\.(timeout|any)\b/;

describe('the import rule', () => {
  test('finds the imports of a file', () => {
    expect(imports.length).toBeGreaterThan(50);
    expect(imports).toContainEqual({ file: 'bin/gwtoken.ts', from: 'bin', to: 'cli', how: 'value' });
    expect(imports).toContainEqual({ file: 'src/cli/help.ts', from: 'cli', to: 'package', how: 'value' });
  });

  test('is kept by every file', () => {
    expect(imports.filter((each) => !isAllowed(each))).toEqual([]);
  });

  test.each([
    ['only system prints warnings, reads the clock and draws random numbers', SYSTEM_ONLY, /^src\/system\//],
    ['nothing uses AbortSignal.timeout or .any, which Node 20 collects too early', ABORTS, /^$/],
  ])('%s', (_, words, where) => {
    const users = files.filter((file) => words.test(codeOf(file)) && !where.test(file));
    expect(users).toEqual([]);
  });
});
