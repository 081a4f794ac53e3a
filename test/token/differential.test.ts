/** The quick path and the CLI give the same answer to the same command line. */
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Client } from '../../src/client';
import { givenSource } from '../../src/credentials/sources';
import { parseAuthUrl } from '../../src/settings/values';
import { entryPath } from '../../src/system/files/token-cache';
import { sha256 } from '../../src/system/form';
import { formatEntry, ownerOf } from '../../src/token/cache';
import { inside } from '../harness/homes/in-process';
import {
  A,
  CLIENTS,
  cached,
  config,
  credentials,
  type MadeEntry,
  PLAIN,
  QUIRKS,
  variables,
  words,
} from './differential-cases';

const home = inside();

/** Writes all files of one case. */
function lay(configText: string | undefined, entries: readonly { client: Client; made: MadeEntry }[]): void {
  rmSync(home.cache, { recursive: true, force: true });
  rmSync(home.config, { recursive: true, force: true });
  if (configText !== undefined) home.configure(configText);
  for (const { client, made } of entries) {
    const file = entryPath(home.cache, client);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, entryText(client, made), { mode: 0o600 });
    if (made.damage === 'mode') chmodSync(file, 0o666);
  }
}

function entryText({ region }: Client, made: MadeEntry): string {
  const hasVariables = Object.keys(home.env).some((name) => name.includes('CLIENT_ID'));
  const owner = made.of === 'same' ? (hasVariables ? 'secret' : 'keychain') : made.of;
  const authUrl = parseAuthUrl(made.authUrl, 'the test', region);
  const given = givenSource('the test', { clientId: 'client', clientSecret: owner });
  const source = owner === 'keychain' ? { ...given, kind: 'keychain' as const, identity: '' } : given;
  const text = formatEntry({
    token: {
      accessToken: made.accessToken,
      tokenType: 'bearer',
      scope: made.scope,
      requestedAtMs: home.nowMs - made.ageS * 1000,
      lifetimeS: made.lifetimeS,
    },
    clientId: 'client',
    ...ownerOf({ authUrl: { value: authUrl }, source }, '', { sha256 }),
  });
  if (made.damage === 'torn') return text.slice(0, text.length / 2);
  if (made.damage === 'version') return text.replace('"version":2', '"version":1');
  return made.damage === 'foreign' ? 'null' : text;
}

test('the CLI says what the quick path says, whenever that says anything', async () => {
  let answered = 0;
  const met = new Set<string>();
  const property = fc.asyncProperty(
    words,
    variables,
    credentials,
    config,
    cached,
    async (argv, env, own, configText, entries) => {
      home.env = Object.fromEntries(
        Object.entries({ ...env, ...own }).filter((pair): pair is [string, string] => pair[1] !== undefined),
      );
      lay(configText, entries);
      const answer = await home.quick(argv);
      if (answer === undefined) return;

      answered++;
      for (const word of argv) met.add(word);
      const before = home.posts.length + home.keychainCalls;
      const ended = await home.cli(argv);
      expect(ended).toEqual({ code: 0, stdout: answer, stderr: '' });
      expect(home.posts.length + home.keychainCalls).toBe(before);
    },
  );
  const plain = ['env', ...PLAIN.flat()];
  // The same command lines each time, and enough of them: chance once left words out of a round.
  await fc.assert(property, { numRuns: 1500, seed: 1 });
  // A generator that never gets an answer would pass too.
  expect(answered).toBeGreaterThan(150);
  expect([...met]).toEqual(expect.arrayContaining(plain));
}, 120_000);

const UNUSUAL = { authUrl: A, of: 'keychain', accessToken: 'plain', scope: '', ageS: 0, lifetimeS: 3600 };

test('each unusual spelling gets the same from both, or is left to the CLI', async () => {
  const left: string[] = [];
  for (const quirk of QUIRKS) {
    for (const argv of [
      ['get', ...quirk],
      ['get', ...quirk, '--region', 'eu'],
      ['get', '--region', 'eu', ...quirk],
    ]) {
      home.env = { GWTOKEN_REGION: 'eu', GWTOKEN_AUTH_URL: A };
      const made = { ...UNUSUAL, damage: '' };
      lay(
        undefined,
        CLIENTS.map((client) => ({ client, made })),
      );
      const answer = await home.quick(argv);
      if (answer === undefined) left.push(argv.join(' '));
      else expect({ argv, ...(await home.cli(argv)) }).toEqual({ argv, code: 0, stdout: answer, stderr: '' });
    }
  }
  expect(left).toContain('get -reu');
  expect(left).toContain('get --region --sandbox');
  expect(left.length).toBeGreaterThan(2 * QUIRKS.length);
  expect(left.length).toBeLessThan(3 * QUIRKS.length);
});
