/** Cached tokens: when they are used, and which files are valid entries. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CacheEntry, formatEntry, lifeLeftMs, mayAnswer, parseEntry } from '../../src/token/cache';
import type { Query } from '../../src/token/query';

const NOW = Date.UTC(2030, 0, 1, 12, 34, 56, 789);
const TEXTS = { accessToken: 'a', tokenType: 'bEARER', scope: 'read write' };
const entry = (lifetimeS: number, ageMs = 0): CacheEntry => ({
  key: { facts: ['fact'], salt: 'salt', hmac: 'f' },
  clientId: 'id',
  authUrl: 'https://a.test',
  token: { ...TEXTS, requestedAtMs: NOW - ageMs, lifetimeS },
});

/** Returns the query of a run that began `agoMs` before now, with or without a min-ttl. */
function run(agoMs = 0, minTtlMs?: number): Pick<Query, 'minTtl' | 'freshOnly' | 'startedAtMs'> {
  const source = { kind: 'flag', name: '--min-ttl' } as const;
  const minTtl = minTtlMs === undefined ? undefined : { value: minTtlMs, text: '', source };
  return { minTtl, freshOnly: false, startedAtMs: NOW - agoMs };
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
        for (const query of [run(agoMs, 1_000_000_000), { ...run(agoMs), freshOnly: true }]) {
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

describe('a stored entry', () => {
  const stored = entry(3600);
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
