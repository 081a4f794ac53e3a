import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readEntry } from '../../src/system/files/token-cache';
import { type ClientHome, clientHome, EU, keychainEntry } from '../harness/homes/client-home';
import { MACHINE } from '../harness/homes/in-process';
import { inherited } from '../harness/programs/program';

/** A token as long as the endpoint may give one, so that a write takes its time. */
const AUTH_URL = 'https://identity.example.com';
const ONE = keychainEntry(AUTH_URL, { accessToken: 'a'.repeat(32 * 1024) });
const OTHER = keychainEntry(AUTH_URL, { accessToken: 'b'.repeat(30 * 1024) });
const KILLS = 500;
const LANES = 4;

let folder: string;
let writer: string;
const homes: ClientHome[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gwtoken-writer-'));
  writer = join(folder, 'writer.cjs');
  const bundle = await rolldown({ input: join(import.meta.dirname, 'writer-child.ts'), platform: 'node' });
  await bundle.write({ file: writer, format: 'cjs' });
  await bundle.close();
});
afterAll(() => {
  for (const { home } of homes) home.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** Kills a writer that has written at least once, at a moment that nobody chose. */
async function killOne(cache: string): Promise<void> {
  const child = spawn(process.execPath, [writer, cache, ONE, OTHER], {
    env: inherited(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  await Promise.race([once(child.stdout, 'data'), ended]);
  const until = performance.now() + Math.random() * 4;
  while (performance.now() < until);
  child.kill('SIGKILL');
  const [, signal] = await ended;
  expect(signal).toBe('SIGKILL');
}

test(`killed ${KILLS} times while writing, the cache is whole, and the next get succeeds`, {
  timeout: 180_000,
}, async () => {
  const seen = new Set<string>();
  let leftovers = 0;
  const lane = async (): Promise<void> => {
    const client = clientHome(AUTH_URL);
    homes.push(client);
    for (let kill = 0; kill < KILLS / LANES; kill++) {
      await killOne(client.cache);
      const { text } = readEntry(client.cache, EU, MACHINE);
      expect([ONE, OTHER]).toContain(text);
      seen.add(text ?? '');
      if (kill % 25 > 0) continue;
      const ended = await client.gwtoken(['get'], {
        env: { GWTOKEN_CLIENT_ID: '', GWTOKEN_CLIENT_SECRET: '' },
      });
      expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: 0, stderr: '' });
      expect(ended.stdout).toBe(`${JSON.parse(text ?? '').access_token}\n`);
    }
    const files = readdirSync(client.cache).filter((file) => file.endsWith('.tmp'));
    leftovers += files.length;
    expect(readFileSync(client.entry, 'utf8')).toMatch(/^\{.*\}\n$/);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  // The kills did hit writers at work: both entries were found, and temporary files were left behind.
  expect(seen.size).toBe(2);
  expect(leftovers).toBeGreaterThan(0);
});
