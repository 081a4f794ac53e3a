/** The next steps after errors. hints.txt lists them by reason; `npm test -- -u` writes it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { expect, test } from 'vitest';
import type { Cause, ReasonWithFacts, Subject } from '../src/causes';
import { REGIONS } from '../src/client';
import { hintsFor, REASONS } from '../src/hints/hints';
import { listOf } from '../src/text';
import { EU } from './harness/homes/client';
import { ROOT } from './harness/root';
import { settingsWith } from './settings/places';

const GIVEN = {
  value: 'https://other.test',
  text: 'https://other.test',
  source: { kind: 'flag', name: '--auth-url' } as const,
};

/** Each cause with sample facts. */
const CAUSES: readonly ReasonWithFacts[] = [
  { reason: 'time-limit', hints: ['raise --timeout'] },
  { reason: 'unreachable', hints: ['check the network'] },
  { reason: 'ca-file' },
  { reason: 'no-client' },
  { reason: 'no-region' },
  { reason: 'no-auth-url', client: EU },
  { reason: 'no-api-url', client: EU },
  { reason: 'nothing-stored' },
  { reason: 'no-credentials' },
  { reason: 'not-returned' },
  { reason: 'not-removed', client: EU },
  { reason: 'item-for-other-url', own: 'https://own.test', client: EU, setting: GIVEN },
  { reason: 'item-for-other-url', own: undefined, client: EU, setting: GIVEN },
  { reason: 'item-for-other-url', own: undefined, client: EU, setting: undefined },
  { reason: 'command-for-other-url', own: undefined, client: EU, setting: undefined },
  { reason: 'command-for-other-url', own: 'https://own.test', client: EU, setting: GIVEN },
  { reason: 'command-for-other-url', own: undefined, client: EU, setting: GIVEN },
  { reason: 'bad-item', client: EU },
  { reason: 'invalid_client' },
  { reason: 'invalid_grant' },
  { reason: 'unauthorized' },
  { reason: 'no-oauth-error' },
  { reason: 'unknown-error' },
  { reason: 'forbidden' },
  { reason: 'unauthorized_client' },
  { reason: 'unsupported_grant_type' },
  { reason: 'invalid_scope' },
  { reason: 'invalid_request' },
  { reason: 'unusable-reply' },
  { reason: 'html-page' },
  { reason: 'api-answer' },
  { reason: 'wrong-path' },
  { reason: 'rate-limited' },
  { reason: 'outage' },
  { reason: 'just-expired' },
  { reason: 'module-missing' },
  { reason: 'library-missing' },
  { reason: 'not-loadable' },
  { reason: 'no-session' },
  { reason: 'no-session', variable: 'DBUS_SESSION_BUS_ADDRESS' },
  { reason: 'no-provider' },
  { reason: 'no-collection' },
  { reason: 'locked' },
  { reason: 'denied' },
  { reason: 'sandboxed' },
  { reason: 'timed-out' },
  { reason: 'crashed' },
  { reason: 'key-mismatch' },
  { reason: 'failed' },
  { reason: 'no-home', home: 'HOME', variable: 'GWTOKEN_CONFIG_DIR' },
  { reason: 'none-selected' },
];

const PLATFORMS = ['linux', 'darwin', 'win32'] as const;

test('hintsFor() names the next steps for each reason', async () => {
  const lines = CAUSES.flatMap((cause) => {
    const shown = PLATFORMS.map((platform) => hintsFor({ cause }, { platform }));
    const [common = []] = shown;
    const { reason, ...facts } = cause;
    const values = Object.entries(facts).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
    const others = PLATFORMS.flatMap((platform, at) =>
      shown[at]!.join() === common.join() ? [] : shown[at]!.map((hint) => `  ${platform}: ${hint}`),
    );
    return [[reason, ...values].join(' '), ...common.map((hint) => `  ${hint}`), ...others];
  });
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('hints.txt');
});

type Quasi = { readonly value: { readonly cooked: string } };

/** `hint: ` and a hint fill at most a line of 80 columns, except with a long URL or path. */
const LONGEST_HINT = 74;

test('each row fits in 80 columns', () => {
  const hints = CAUSES.flatMap((cause) =>
    PLATFORMS.flatMap((platform) => hintsFor({ cause, subject: { client: EU } }, { platform })),
  );
  expect(hints.filter((hint) => hint.length > LONGEST_HINT)).toEqual([]);
});

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

test('hints.txt has each reason', () => {
  const listed = new Set(CAUSES.map(({ reason }) => reason));
  expect(REASONS.filter((reason) => !listed.has(reason))).toEqual([]);
});

const KEYCHAIN = { kind: 'keychain', name: 'keychain item gwtoken, default:production:eu' };
const VARIABLES = { kind: 'variables', name: 'GWTOKEN_CLIENT_ID and GWTOKEN_CLIENT_SECRET' };
const REFUSED = { reason: 'invalid_client' } as const;
const LOGIN = 'run: gwtoken login --region eu';
const OTHERS = listOf(REGIONS.filter((region) => region !== 'eu'));
const OTHER_REGION = `if the client is in region ${OTHERS}, use --region ${OTHERS}; check the auth URL too`;
const VARIABLES_HINT = 'export GWTOKEN_CLIENT_ID and GWTOKEN_CLIENT_SECRET (gwtoken help ci)';

test.each<[about: string, cause: Cause, subject: Subject, hints: string[]]>([
  [
    'a stored client that is refused: its secret was replaced',
    REFUSED,
    { client: EU, source: KEYCHAIN },
    ['to store a new secret, run: gwtoken login --region eu'],
  ],
  [
    'variables that are refused',
    REFUSED,
    { client: EU, source: VARIABLES },
    ['check GWTOKEN_CLIENT_ID and GWTOKEN_CLIENT_SECRET', OTHER_REGION],
  ],
  [
    'visible mistakes first',
    REFUSED,
    { client: EU, source: VARIABLES, mistakes: ['GWTOKEN_CLIENT_SECRET begins and ends with a quote'] },
    [
      'GWTOKEN_CLIENT_SECRET begins and ends with a quote',
      'check GWTOKEN_CLIENT_ID and GWTOKEN_CLIENT_SECRET',
    ],
  ],
  [
    'a refusal of another process',
    REFUSED,
    { client: EU, source: KEYCHAIN, isRepeated: true },
    ['to ask at once, add --fresh', 'to store a new secret, run: gwtoken login --region eu'],
  ],
  [
    'credentials that a person typed three times',
    REFUSED,
    { client: EU, source: { kind: 'prompt', name: '' }, lastStep: 'to start again, run: gwtoken login' },
    [OTHER_REGION, 'to start again, run: gwtoken login'],
  ],
  [
    'a client that is not stored',
    { reason: 'no-credentials' },
    { client: EU, source: KEYCHAIN },
    [LOGIN, `or ${VARIABLES_HINT}`],
  ],
])('hintsFor() knows %s', (_, cause, subject, hints) => {
  expect(hintsFor({ cause, subject }, { platform: 'linux' }, settingsWith({}))).toEqual(hints);
});

test('hintsFor() names the stored clients in a line of at most 80 columns', () => {
  const hints = (...names: string[]) => {
    const stored = Object.fromEntries(
      names.map((name) => [name, { clientId: '', authUrl: '', loginId: '' }]),
    );
    const flags = { sandbox: true, profile: 'acme' };
    const settings = settingsWith({ flags, stored, profiles: { acme: {} } });
    return hintsFor({ cause: { reason: 'no-region' } }, { platform: 'linux' }, settings)[0];
  };
  const eu = 'default:production:eu';
  expect(hints(eu)).toBe(`stored: ${eu}; use --region eu --no-sandbox --profile default`);
  expect(hints('acme:sandbox:us')).toBe('stored: acme:sandbox:us; use --region us --sandbox --profile acme');
  const three = [eu, 'default:production:us', 'default:sandbox:eu'];
  expect(hints(...three)).toBe(`stored: ${three.join(', ')}`);
  expect(hints(...three, 'acme:sandbox:us')).toBe('to list stored clients, run: gwtoken status');
});

test("hintsFor() explains root's keychain under sudo", () => {
  const cause = { reason: 'no-session' } as const;
  const settings = settingsWith({ env: { SUDO_USER: 'me' } });
  expect(hintsFor({ cause }, { platform: 'linux' }, settings)[0]).toBe(
    "sudo has root's keychain: run gwtoken without sudo",
  );
});

test('hintsFor() returns the best two hints', () => {
  const cause = { reason: 'no-credentials' } as const;
  const misspelled = settingsWith({ flags: { profile: 'acm' }, profiles: { acme: {} } });
  const source = { kind: 'keychain', name: '' };
  const client = { profile: 'acm', environment: 'production', region: 'eu' } as const;
  expect(hintsFor({ cause, subject: { client, source } }, { platform: 'linux' }, misspelled)).toEqual([
    'did you mean: --profile acme',
    'run: gwtoken login --region eu --profile acm',
  ]);
});
