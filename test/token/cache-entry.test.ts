/** Cached tokens: when they are used, who owns them, and which files are valid entries. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type CredentialSource,
  commandSource,
  keychainSource,
  variablesSource,
} from '../../src/credentials/sources';
import type { Setting } from '../../src/settings/table';
import { hmac } from '../../src/system/form';
import { ownerMatches, ownerOf, placeOf } from '../../src/token/basis';
import { type CacheEntry, formatEntry, lifeLeftMs, mayAnswer, parseEntry } from '../../src/token/cache';
import type { Query } from '../../src/token/query';

const NOW = Date.UTC(2030, 0, 1, 12, 34, 56, 789);
const world = { hmac };

const OWNER = { authUrl: 'https://a.test', salt: '', fingerprint: 'f' };
const TEXTS = { accessToken: 'a', tokenType: 'bEARER', scope: 'read write' };
const entry = (lifetimeS: number, ageMs = 0): CacheEntry => ({
  owner: OWNER,
  clientId: 'id',
  token: { ...TEXTS, requestedAtMs: NOW - ageMs, lifetimeS },
});

/** Returns the query of a run that began `agoMs` before now, with or without a min-ttl. */
function run(agoMs = 0, minTtlMs?: number): Pick<Query, 'minTtl' | 'requestedNow' | 'startedAtMs'> {
  const source = { kind: 'flag', name: '--min-ttl' } as const;
  const minTtl = minTtlMs === undefined ? undefined : { value: minTtlMs, text: '', source };
  return { minTtl, requestedNow: false, startedAtMs: NOW - agoMs };
}

const lifetime = fc.integer({ min: 1, max: 100_000 });
const ms = (max: number) => fc.integer({ min: 0, max });

describe('a token is used', () => {
  test('until its remaining lifetime reaches min-ttl', () => {
    fc.assert(
      fc.property(lifetime, fc.option(ms(200_000)), (lifetimeS, minTtlMs) => {
        const minMs = minTtlMs ?? Math.min(300_000, lifetimeS * 200);
        const lastAgeMs = lifetimeS * 1000 - minMs - 1;
        const usableAt = (ageMs: number) =>
          mayAnswer(entry(lifetimeS, ageMs), run(0, minTtlMs ?? undefined), NOW);
        if (lastAgeMs >= 0) expect(usableAt(lastAgeMs)).toBe(true);
        if (lastAgeMs >= -1) expect(usableAt(lastAgeMs + 1)).toBe(false);
      }),
    );
  });

  test('with less lifetime left only if this run has waited for it', () => {
    fc.assert(
      fc.property(lifetime, ms(100_000_000), ms(10_000), (lifetimeS, ageMs, agoMs) => {
        for (const query of [run(agoMs, 1_000_000_000), { ...run(agoMs), requestedNow: true }]) {
          const usable = mayAnswer(entry(lifetimeS, ageMs), query, NOW);
          expect(usable).toBe(ageMs < lifetimeS * 1000 && ageMs < agoMs);
        }
      }),
    );
    // A token requested in the same millisecond in which the run began may be older than the run.
    const usableFor = (agoMs: number) => mayAnswer(entry(100, 50), run(agoMs, 1_000_000), NOW);
    expect([usableFor(49), usableFor(50), usableFor(51)]).toEqual([false, false, true]);
  });

  test('never if it is from the future, because the clock was set back', () => {
    const future = entry(7, -1);
    expect([lifeLeftMs(future, NOW), mayAnswer(future, run(1), NOW)]).toEqual([0, false]);
    expect([0, 6999].map((ageMs) => lifeLeftMs(entry(7, ageMs), NOW))).toEqual([7000, 1]);
  });
});

const authUrl = (text: string): Setting<string> => ({
  value: text,
  text,
  source: { kind: 'flag', name: '--auth-url' },
});
const variables = (clientId: string, clientSecret: string) =>
  variablesSource({ id: 'ID', secret: 'SECRET' }, { clientId, clientSecret });
const EU = { profile: 'p', environment: 'production', region: 'eu' } as const;
const loggedIn = (loginId: string) =>
  keychainSource({
    client: EU,
    stored: () => ({ 'p:production:eu': { clientId: 'id', authUrl: '', loginId } }),
  });
const keychain = loggedIn('login 1');
const command = (value: string): CredentialSource =>
  commandSource({ value, text: value, source: { kind: 'config', name: 'credential-command' } });

const OWN = { client: EU, authUrl: authUrl('https://a.test'), source: variables('id', 'secret') };
const SOURCES: readonly (readonly [string, CredentialSource])[] = [
  ['variables', variables('id', 'secret')],
  ['a command', command('pass a')],
  ['the keychain', keychain],
];
const ALL_SOURCES: readonly (readonly [string, CredentialSource])[] = [
  ...SOURCES,
  ['another secret', variables('id', 'Secret')],
  ['another client id', variables('id2', 'secret')],
  ['another command', command('pass b')],
  ['another login', loggedIn('login 2')],
];

describe('placeOf()', () => {
  const place = (source: CredentialSource, text = 'https://a.test') =>
    placeOf({ client: EU, source, authUrl: authUrl(text) });

  test('returns only the client for the keychain', () => {
    expect(place(keychain)).toEqual(EU);
  });

  test('depends on client ID, command and auth URL, but not on the secret', () => {
    const places = [
      place(variables('id', 'secret')),
      place(variables('id2', 'secret')),
      place(variables('id', 'secret'), 'https://b.test'),
      place(command('pass a')),
      place(command('pass b')),
    ];
    expect(new Set(places.map(({ variant }) => variant)).size).toBe(5);
    for (const { variant } of places) expect(variant).toMatch(/^[0-9a-f]{8}$/);
    expect(place(variables('id', 'another secret'))).toEqual(places[0]);
  });
});

describe('the owner of an entry', () => {
  test.each(SOURCES)('matches only %s with the same auth URL', (name, source) => {
    const owner = ownerOf({ ...OWN, source }, 'salt', world);
    expect(ownerMatches(owner, { ...OWN, authUrl: authUrl('https://b.test'), source }, world)).toBe(false);
    for (const [other, theirs] of ALL_SOURCES)
      expect([other, ownerMatches(owner, { ...OWN, source: theirs }, world)]).toEqual([
        other,
        other === name,
      ]);
  });

  test('has an HMAC of credentials from variables, and the ID of a login', () => {
    const one = ownerOf(OWN, 'salt', world);
    expect(JSON.stringify(one)).not.toContain('secret');
    expect(one.fingerprint).toMatch(/^[0-9a-f]{64}$/);
    expect(ownerOf(OWN, 'other salt', world).fingerprint).not.toBe(one.fingerprint);
    expect(ownerOf({ ...OWN, source: keychain }, 'salt', world).fingerprint).toBe('login 1');
  });
});

describe('a stored entry', () => {
  const stored = { ...entry(3600), owner: ownerOf(OWN, 'salt', world) };
  const json = JSON.parse(formatEntry(stored));
  const parseWith = (more: object) => parseEntry(JSON.stringify({ ...json, ...more }));
  const parseWithToken = (more: object) => parseWith({ token: { ...json.token, ...more } });

  test('is one line and can be read again', () => {
    const text = formatEntry(stored);
    expect(text).toMatch(/^[^\n]+\n$/);
    expect(parseEntry(text)).toMatchObject(stored);
  });

  test('is invalid if a field is missing or of another type', () => {
    for (const text of ['', 'null', '"a"', '{}']) expect(parseEntry(text)).toBeUndefined();
    for (const value of [undefined, null, true]) {
      for (const name of Object.keys(json)) expect(parseWith({ [name]: value }), name).toBeUndefined();
      for (const name of Object.keys(json.token))
        expect(parseWithToken({ [name]: value }), name).toBeUndefined();
    }
  });

  test('is invalid with characters or a lifetime that a token cannot have', () => {
    const CENTURY_S = 100 * 366 * 24 * 3600;
    expect(parseWithToken({ lifetimeS: CENTURY_S })).toBeDefined();
    const wrong = [
      ...[{ accessToken: '' }, { accessToken: 'a\n' }, { tokenType: 'bearer\n' }, { scope: 'a\nb' }],
      { lifetimeS: CENTURY_S + 1 },
    ];
    for (const more of wrong) expect(parseWithToken(more)).toBeUndefined();
  });
});
