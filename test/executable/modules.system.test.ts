/** The modules that the executable loads when it starts. A test cannot assert the time that the start takes. */
import { expect, test } from 'vitest';
import { bundleExecutable } from '../../bin/build/executable.mjs';
import { openDirectory } from '../harness/homes/directory';

test('a warm get of the executable loads only node:fs and node:path', async () => {
  const output = await bundleExecutable(openDirectory(), true);
  const chunks = new Map(output.map((chunk) => [chunk.fileName, chunk.type === 'chunk' ? chunk : undefined]));
  /** Returns the modules that a file requires when it is loaded, and those that they require. */
  const required = (file: string, seen = new Set<string>()): Set<string> => {
    if (seen.has(file)) return seen;
    seen.add(file);
    for (const name of chunks.get(file)?.imports ?? []) required(name, seen);
    return seen;
  };
  const warm = [...required('executable.cjs'), ...required('gwtoken.cjs')];
  expect(warm.filter((name) => !chunks.has(name)).sort()).toEqual(['node:fs', 'node:path']);
  expect(warm.length).toBeGreaterThan(3);
  // Otherwise the keychain's child would start the main program.
  expect([...required('executable.cjs')]).not.toContain('gwtoken.cjs');
  const ofChild = [...required('keychain-child.cjs')].filter((name) => chunks.has(name));
  expect(ofChild).toEqual(['keychain-child.cjs']);
});
