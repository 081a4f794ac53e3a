import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

/**
 * Imports run one way (README, development): what each part of src may import, `type:` where only types.
 * `node` and `package` stand for Node's own modules and for npm's.
 */
const MAY_IMPORT: Record<string, readonly string[]> = {
  main: ['quick', 'cli', 'system', 'errors', 'type:world', 'node'],
  quick: ['options', 'core', 'errors', 'type:world'],
  cli: ['help', 'usage-error', 'options', 'commands', 'errors', 'type:world', 'package'],
  help: ['commands', 'type:world', 'type:package'],
  'usage-error': ['errors', 'type:package'],
  commands: ['commands', 'core', 'options', 'errors', 'topics', 'type:world'],
  core: ['core', 'errors', 'type:options', 'type:world', 'lazy:node:crypto'],
  system: ['system', 'errors', 'type:core', 'type:world', 'node', 'package'],
  options: [],
  errors: [],
  // Types only; the module that `crypto()` gives is named by its type.
  world: ['type:core', 'type:world', 'lazy:node:crypto'],
};

interface Import {
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly how: 'value' | 'type' | 'lazy';
}

const SRC = join(import.meta.dirname, '..', 'src');
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts'));
const imports = files.flatMap((file) => importsOf(file, readFileSync(join(SRC, file), 'utf8')));

function importsOf(file: string, text: string): Import[] {
  const from = partOf(file);
  const statics = [...text.matchAll(/^(?:import|export) (type )?[^;]*? from '([^']+)';/gm)].map(
    ([, type, to]) => {
      return { file, from, to: target(file, to!), how: type ? ('type' as const) : ('value' as const) };
    },
  );
  const lazies = [...text.matchAll(/\bimport\('([^']+)'\)/g)].map(([, to]) => {
    return { file, from, to: target(file, to!), how: 'lazy' as const };
  });
  return [...statics, ...lazies];
}

function partOf(path: string): string {
  return path.replace(/\.(ts|md)$/, '').split('/')[0]!;
}

function target(file: string, specifier: string): string {
  if (specifier.startsWith('node:')) return specifier;
  if (!specifier.startsWith('.')) return 'package';
  return partOf(join(file, '..', specifier).replaceAll('\\', '/'));
}

function isAllowed({ from, to, how }: Import): boolean {
  const allowed = MAY_IMPORT[from] ?? [];
  const kind = to.startsWith('node:') ? 'node' : to;
  if (allowed.includes(kind) || allowed.includes(`${how}:${to}`)) return true;
  return how === 'type' && allowed.includes(`type:${kind}`);
}

describe('the import rule', () => {
  test('sees the imports that there are', () => {
    expect(imports.length).toBeGreaterThan(50);
    expect(imports).toContainEqual({ file: 'main.ts', from: 'main', to: 'cli', how: 'lazy' });
    expect(imports).toContainEqual({ file: 'cli.ts', from: 'cli', to: 'package', how: 'value' });
  });

  test('refuses what it must', () => {
    expect(isAllowed({ file: '', from: 'commands', to: 'system', how: 'value' })).toBe(false);
    expect(isAllowed({ file: '', from: 'core', to: 'node:fs', how: 'value' })).toBe(false);
    expect(isAllowed({ file: '', from: 'core', to: 'world', how: 'value' })).toBe(false);
    expect(isAllowed({ file: '', from: 'system', to: 'core', how: 'value' })).toBe(false);
  });

  test('holds for every file', () => {
    expect(imports.filter((each) => !isAllowed(each))).toEqual([]);
  });

  test('only main.ts touches process', () => {
    // A program of its own, such as the keychain's child, has a process of its own.
    const own = ['main.ts', 'system/keychain-child.ts'];
    const users = files
      .filter((file) => !own.includes(file))
      .filter((file) => {
        const code = readFileSync(join(SRC, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
        return /\bprocess\./.test(code) || /node:process/.test(code);
      });
    expect(users).toEqual([]);
  });
});
