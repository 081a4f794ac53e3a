/** The names of profiles and clients. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Client, clientFlags, clientName, parseClientName } from '../src/client';
import { parseProfile } from '../src/settings/values';
import { refusal } from './settings/refusal';

const first = fc.constantFrom(...'abcxyz0189');
const rest = fc.string({ unit: fc.constantFrom(...'abcxyz0189._-'), maxLength: 63 });
const client: fc.Arbitrary<Client> = fc.record({
  profile: fc.tuple(first, rest).map(([start, end]) => start + end),
  environment: fc.constantFrom('production', 'sandbox'),
  region: fc.constantFrom('eu', 'us'),
});

test('a profile name has 1 to 64 of a-z, 0-9, ".", "_" and "-"', () => {
  fc.assert(fc.property(client, ({ profile }) => parseProfile(profile, 'x') === profile));
  expect(parseProfile('a'.repeat(64), 'x')).toHaveLength(64);
  const names = ['', 'Acme', '.a', '-a', '_a', 'a b', 'ä', 'a/b', 'a:b', 'a\n', 'a'.repeat(65)];
  for (const name of names)
    expect(refusal(() => parseProfile(name, '--profile'))).toEqual({
      message: `invalid profile name ${JSON.stringify(name)} (from --profile)`,
      hints: ['use 1 to 64 of a-z, 0-9, ".", "_" and "-", starting with a letter or digit'],
    });
});

describe('a client', () => {
  test('is parsed from its name, and from no other text', () => {
    fc.assert(
      fc.property(client, (each) => {
        expect(parseClientName(clientName(each))).toEqual(each);
        for (const name of [`${clientName(each)}:x`, ` ${clientName(each)}`, `${clientName(each)} `])
          expect(parseClientName(name)).toBeUndefined();
      }),
    );
    for (const name of ['', 'a:production', 'a:test:eu', 'a:production:mars', 'A:production:eu'])
      expect(parseClientName(name)).toBeUndefined();
  });

  test('is selected by as few flags as possible', () => {
    const flags = (profile: string, environment: Client['environment']) =>
      clientFlags({ profile, environment, region: 'us' });
    expect(flags('default', 'production')).toBe('--region us');
    expect(flags('default', 'sandbox')).toBe('--region us --sandbox');
    expect(flags('acme', 'sandbox')).toBe('--region us --sandbox --profile acme');
  });
});
