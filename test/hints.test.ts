/** The next steps after errors: those that depend on the settings or the source, and the length of all. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { expect, test } from 'vitest';
import { REGIONS } from '../src/client';
import { GwtokenError } from '../src/errors';
import { hintsFor } from '../src/hints/hints';
import { listOf } from '../src/text';
import { EU } from './harness/homes/client';
import { ROOT } from './harness/root';
import { settingsWith, type Values } from './settings/places';

const KEYCHAIN = { kind: 'keychain', name: 'keychain item gwtoken, default:production:eu' } as const;
const VARIABLES = { kind: 'variables', name: 'GWTOKEN_CLIENT_ID and GWTOKEN_CLIENT_SECRET' } as const;
const PROMPT = { kind: 'prompt', name: '' } as const;
const LOGIN = 'run: gwtoken login --region eu';
const OTHERS = listOf(REGIONS.filter((region) => region !== 'eu'));
const OTHER_REGION = `if the client is in region ${OTHERS}, use --region ${OTHERS}; check the auth URL too`;
const VARIABLES_HINT = 'export GWTOKEN_CLIENT_ID and GWTOKEN_CLIENT_SECRET (gwtoken help ci)';
const CI_HELP = 'for CI, containers and servers, run: gwtoken help ci';
const SET_URL = 'export GWTOKEN_AUTH_URL, or run: gwtoken config set auth-url.eu URL';
const SET_REGION = 'use --region eu or --region us, or export GWTOKEN_REGION';
const STORED = { 'default:production:eu': { clientId: 'id', authUrl: 'https://a.test', loginId: '' } };
const CI = { env: { CI: '1' } };

type Parts = Partial<Pick<GwtokenError, 'kind' | 'hints' | 'reason' | 'client' | 'source' | 'lastStep'>>;
const errorOf = ({ kind = 'usage', hints, ...details }: Parts) =>
  new GwtokenError(kind, 'it failed', hints, details);

test.each<[about: string, error: Parts, hints: string[], values?: Values]>([
  [
    'a stored client that is refused: its secret was replaced',
    { reason: 'rejected', source: KEYCHAIN },
    ['to store a new secret, run: gwtoken login --region eu'],
  ],
  [
    'variables that are refused, whether or not there is a HOME',
    { kind: 'refused', reason: 'rejected', source: VARIABLES },
    ['check GWTOKEN_CLIENT_ID and GWTOKEN_CLIENT_SECRET', OTHER_REGION],
    { general: { region: 'eu' }, noHome: ['set HOME'] },
  ],
  [
    'a command whose credentials are refused',
    { reason: 'rejected', source: { kind: 'command', name: 'credential-command' } },
    ['check the client ID and secret (from credential-command)', OTHER_REGION],
  ],
  [
    'mistakes in variables, before other steps',
    { reason: 'rejected', source: VARIABLES, hints: ['it begins with a quote'] },
    ['it begins with a quote', 'check GWTOKEN_CLIENT_ID and GWTOKEN_CLIENT_SECRET'],
  ],
  [
    'credentials that a person has just typed',
    { reason: 'rejected', client: EU, source: PROMPT },
    [OTHER_REGION],
    { general: {} },
  ],
  [
    'a keychain that fails',
    { kind: 'keychain', reason: 'denied', hints: ['unlock it'], source: KEYCHAIN },
    ['unlock it', VARIABLES_HINT],
  ],
  ['two different hints', { hints: ['a', 'a', 'b', 'c'] }, ['a', 'b']],
  ['one hint beside the last step', { hints: ['a', 'b'], lastStep: 'c' }, ['a', 'c']],
  ['a login with a keychain that fails', { kind: 'keychain', hints: ['unlock it'] }, ['unlock it']],
  ['a new machine', { reason: 'no-client' }, ['to add one, run: gwtoken login', `or ${VARIABLES_HINT}`]],
  [
    'a process without HOME',
    { reason: 'no-client' },
    ['set HOME', VARIABLES_HINT],
    { ...CI, noHome: ['set HOME'] },
  ],
  ['a new machine for CI', { reason: 'no-client' }, [VARIABLES_HINT], CI],
  ['a missing region', { reason: 'no-region' }, [SET_REGION]],
  ['a missing region in CI', { reason: 'no-region' }, [SET_REGION, CI_HELP], CI],
  [
    'a missing region beside a stored client',
    { reason: 'no-region' },
    ['stored: default:production:eu; use --region eu', `or ${SET_REGION}`],
    { stored: STORED },
  ],
  [
    'a missing auth URL',
    { reason: 'no-auth-url' },
    ['to set up this client, run: gwtoken login --region eu', `or ${SET_URL}`],
  ],
  ['a missing auth URL in CI', { reason: 'no-auth-url' }, [SET_URL, CI_HELP], CI],
  [
    'a client that is not stored',
    { reason: 'no-credentials', source: KEYCHAIN },
    [LOGIN, `or ${VARIABLES_HINT}`],
  ],
  [
    'a client that is not stored, with an auth URL for this run',
    { reason: 'no-credentials', source: KEYCHAIN },
    [`${LOGIN} --auth-url https://a.test`, `or ${VARIABLES_HINT}`],
    { env: { GWTOKEN_AUTH_URL: 'https://a.test' } },
  ],
  [
    'a command without credentials',
    { reason: 'no-credentials', source: { kind: 'command', name: 'credential-command' } },
    [VARIABLES_HINT],
  ],
  [
    'an item that the keychain does not return',
    { kind: 'keychain', reason: 'not-returned', source: KEYCHAIN },
    [LOGIN, `or ${VARIABLES_HINT}`],
    { stored: STORED },
  ],
  ['a refusal after the region was unset', { reason: 'rejected', hints: ['a'] }, ['a'], { general: {} }],
])('hintsFor() returns the hints for %s', (_, error, hints, values = {}) => {
  const settings = settingsWith({ general: { region: 'eu' }, ...values });
  expect(hintsFor(errorOf(error), settings)).toEqual(hints);
});

test('hintsFor() names the stored clients in a line of at most 80 columns', () => {
  const hints = (...names: string[]) => {
    const stored = Object.fromEntries(names.map((name) => [name, STORED['default:production:eu']]));
    const flags = { sandbox: true, profile: 'acme' };
    const settings = settingsWith({ flags, stored, profiles: { acme: {} } });
    return hintsFor(errorOf({ reason: 'no-region' }), settings)[0];
  };
  const eu = 'default:production:eu';
  expect(hints(eu)).toBe(`stored: ${eu}; use --region eu --no-sandbox --profile default`);
  expect(hints('acme:sandbox:us')).toBe('stored: acme:sandbox:us; use --region us --sandbox --profile acme');
  const three = [eu, 'default:production:us', 'default:sandbox:eu'];
  expect(hints(...three)).toBe(`stored: ${three.join(', ')}`);
  expect(hints(...three, 'acme:sandbox:us')).toBe('to list stored clients, run: gwtoken status');
});

type Quasi = { readonly value: { readonly cooked: string } };

/** `hint: ` and a hint fill at most a line of 80 columns, except with a long URL or path. */
const LONGEST_HINT = 74;

test('the fixed part of each hint in the sources fits in 80 columns', () => {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
  const sources = files.filter((file) => file.endsWith('.ts'));
  const texts = sources.flatMap((file) => {
    const source = readFileSync(join(ROOT, 'src', file), 'utf8');
    const constants = new Map(
      [...source.matchAll(/^const ([A-Z_]+) = '(.*)';$/gm)].map(
        ([, name = '', text = '']) => [name, text] as const,
      ),
    );
    const filled = source.replace(/\$\{([A-Z_]+)\}/g, (whole, name) => constants.get(name) ?? whole);
    return [...constants.values(), ...listedTexts(parseAst(filled, { lang: 'ts' }))];
  });
  expect(texts).toContain('omit one of them');
  expect(texts.filter((text) => text.length > LONGEST_HINT)).toEqual([]);
});

/** Returns the texts that stand in a list of the syntax tree, as hints do, without the facts in them. */
function listedTexts(node: unknown, isListed = false): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const { type, value, quasis } = node as { type?: string; value?: unknown; quasis?: Quasi[] };
  if (typeof value === 'string') return isListed ? [value] : [];
  if (quasis) return isListed ? [quasis.map((quasi) => quasi.value.cooked).join('')] : [];
  const isList = isListed || type === 'ArrayExpression';
  return Object.values(node).flatMap((child) => listedTexts(child, isList));
}
