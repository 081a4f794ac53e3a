/** Whether a cached token is used, on clocks that are not round; and what is taken for an entry. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CredentialSource, givenSource } from '../../src/credentials/sources';
import { sha256 } from '../../src/system/form';
import {
  type CacheEntry,
  formatEntry,
  isFor,
  isUsable,
  lifeLeftMs,
  ownerOf,
  parseEntry,
} from '../../src/token/cache';
import type { Query } from '../../src/token/query';
import type { Token } from '../../src/token/token';

const NOW = Date.UTC(2030, 0, 1, 12, 34, 56, 789);
const world = { sha256 };

function token(lifetimeS: number, ageMs = 0): Token & { readonly lifetimeS: number } {
  const requestedAtMs = NOW - ageMs;
  return { accessToken: 'a', tokenType: 'bEARER', scope: 'read write', requestedAtMs, lifetimeS };
}

function entry(own: ReturnType<typeof token>): CacheEntry {
  return {
    authUrl: 'https://a.test',
    kind: 'keychain',
    salt: '',
    hmac: '',
    generation: 'g',
    clientId: 'id',
    token: own,
  };
}

/** A run that began `ago` ms before now, with a minimum life or without. */
function run(ago = 0, value?: number): Pick<Query, 'minTtl' | 'startedAtMs'> {
  const source = { kind: 'flag', name: '--min-ttl' } as const;
  const minTtl = value === undefined ? undefined : { value, text: '', source };
  return { minTtl, startedAtMs: NOW - ago };
}

const lifetime = fc.integer({ min: 1, max: 100_000 });
const ms = (max: number) => fc.integer({ min: 0, max });

describe('a token is used', () => {
  test('to the millisecond before the minimum life: 300 s or a fifth, or what is asked for', () => {
    fc.assert(
      fc.property(lifetime, fc.option(ms(200_000)), (lifetimeS, asked) => {
        const minMs = asked ?? Math.min(300_000, lifetimeS * 200);
        const lastAgeMs = lifetimeS * 1000 - minMs - 1;
        const usableAt = (ageMs: number) =>
          isUsable(entry(token(lifetimeS, ageMs)), run(0, asked ?? undefined), NOW);
        if (lastAgeMs >= 0) expect(usableAt(lastAgeMs)).toBe(true);
        if (lastAgeMs >= -1) expect(usableAt(lastAgeMs + 1)).toBe(false);
      }),
    );
  });

  test('with less life left only if it was asked for after this run began, and never without any', () => {
    fc.assert(
      fc.property(lifetime, ms(100_000_000), ms(10_000), (lifetimeS, ageMs, ago) => {
        const usable = isUsable(entry(token(lifetimeS, ageMs)), run(ago, 1_000_000_000), NOW);
        expect(usable).toBe(ageMs < lifetimeS * 1000 && ageMs < ago);
      }),
    );
    // Asked for in the very millisecond in which the run began: another may bring a better one.
    const askedAt = (ago: number) => isUsable(entry(token(100, 50)), run(ago, 1_000_000), NOW);
    expect([askedAt(49), askedAt(50), askedAt(51)]).toEqual([false, false, true]);
  });

  test('not if it is from the future: the clock was set back, by however little', () => {
    const own = entry(token(7, -1));
    expect([lifeLeftMs(own, NOW), isUsable(own, run(1), NOW)]).toEqual([0, false]);
    expect([0, 6999].map((ageMs) => lifeLeftMs(entry(token(7, ageMs)), NOW))).toEqual([7000, 1]);
  });
});

const authUrl = (value: string) => ({ value });
const variables = (clientId: string, clientSecret: string) =>
  givenSource('p:production:eu', { clientId, clientSecret });
const keychain: CredentialSource = {
  kind: 'keychain',
  name: 'p:production:eu',
  identity: '',
  waitMs: 0,
  load: () => Promise.reject(new Error('not loaded here')),
};
const command = (identity: string): CredentialSource => ({ ...keychain, kind: 'command', identity });

const OWN = { authUrl: authUrl('https://a.test'), source: variables('id', 'secret') };
const SOURCES: readonly (readonly [string, CredentialSource])[] = [
  ['variables', variables('id', 'secret')],
  ['a command', command('pass a')],
  ['the keychain', keychain],
];
const STRANGERS: readonly (readonly [string, CredentialSource])[] = [
  ...SOURCES,
  ['another secret', variables('id', 'Secret')],
  ['another client id', variables('id2', 'secret')],
  ['another command', command('pass b')],
];

describe('whose an entry is', () => {
  test.each(SOURCES)('of %s: theirs alone, and of one address', (name, source) => {
    const owner = ownerOf({ ...OWN, source }, 'g', world);
    expect(isFor(owner, { authUrl: authUrl('https://b.test'), source }, world)).toBe(false);
    for (const [other, theirs] of STRANGERS)
      expect([other, isFor(owner, { ...OWN, source: theirs }, world)]).toEqual([other, other === name]);
  });

  test('an entry of the keychain’s has no secret to compare, and one of variables has it not as it is', () => {
    const one = ownerOf(OWN, 'g', world);
    expect(JSON.stringify(one)).not.toContain('secret');
    expect(one).toMatchObject({
      salt: expect.stringMatching(/./),
      hmac: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(ownerOf(OWN, 'g', world).hmac).not.toBe(one.hmac);
    expect(ownerOf({ ...OWN, source: keychain }, 'g', world).hmac).toBe('');
  });
});

describe('an entry as it is kept', () => {
  test.each(SOURCES)('of %s comes back as it was', (_, source) => {
    const kept = { ...entry(token(3600)), ...ownerOf({ ...OWN, source }, 'g', world) };
    const text = formatEntry(kept);
    expect(text).toMatch(/^[^\n]+\n$/);
    expect(parseEntry(text)).toMatchObject(kept);
  });

  const CENTURY_S = 100 * 366 * 24 * 3600;
  const kept = JSON.parse(formatEntry(entry(token(3600))));
  const read = (more: object) => parseEntry(JSON.stringify({ ...kept, ...more }));

  const withToken = (more: object) => read({ token: { ...kept.token, ...more } });

  test('of another version, or with a field of another type or none, is none', () => {
    expect(read({ version: 1 })).toBeUndefined();
    for (const name of Object.keys(entry(token(3600))))
      for (const value of [undefined, null, true]) expect(read({ [name]: value }), name).toBeUndefined();
    for (const name of Object.keys(token(3600)))
      for (const value of [undefined, null, true]) expect(withToken({ [name]: value }), name).toBeUndefined();
  });

  test.each([
    ['an empty token', { accessToken: '' }],
    ['a token with a line end', { accessToken: 'a\n' }],
    ['a life of more than a century', { lifetimeS: CENTURY_S + 1 }],
  ])('with %s is none', (_, more) => {
    expect(withToken(more)).toBeUndefined();
    expect(withToken({ lifetimeS: CENTURY_S })).toBeDefined();
  });

  test.each(['', 'null', '"a"', '{}'])('%j is none', (text) => {
    expect(parseEntry(text)).toBeUndefined();
  });
});
