import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readEntry } from '../../src/system/files/token-cache';
import { EU, entryIn, keychainEntry, MACHINE } from '../harness/homes/client';
import { openHome } from '../harness/homes/home';
import { bundle } from '../harness/programs/bundle';
import { inherited } from '../harness/programs/program';

/** A token as long as the endpoint may give one, so that a write takes its time. */
const AUTH_URL = 'https://identity.example.com';
const ONE = keychainEntry(AUTH_URL, { accessToken: 'a'.repeat(32 * 1024) });
const OTHER = keychainEntry(AUTH_URL, { accessToken: 'b'.repeat(30 * 1024) });
const KILLS = 200;
const LANES = 4;

const writer = await bundle(join(import.meta.dirname, 'writer-child.ts'));

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
    const client = openHome({ GWTOKEN_REGION: 'eu', GWTOKEN_AUTH_URL: AUTH_URL });
    for (let kill = 0; kill < KILLS / LANES; kill++) {
      await killOne(client.cache);
      const { text } = readEntry(client.cache, EU, MACHINE);
      expect([ONE, OTHER]).toContain(text);
      seen.add(text ?? '');
      if (kill % 25 > 0) continue;
      const ended = await client.gwtoken(['get']);
      expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: 0, stderr: '' });
      expect(ended.stdout).toBe(`${JSON.parse(text ?? '').access_token}\n`);
    }
    const files = readdirSync(client.cache).filter((file) => file.endsWith('.tmp'));
    leftovers += files.length;
    expect(readFileSync(entryIn(client.cache), 'utf8')).toMatch(/^\{.*\}\n$/);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  // The kills did hit writers at work: both entries were found, and temporary files were left behind.
  expect(seen.size).toBe(2);
  expect(leftovers).toBeGreaterThan(0);
});
