/** Command lines, variables, config files and caches for differential.test.ts. */
import fc from 'fast-check';
import type { Client } from '../../src/client';

export const A = 'https://a.example.com';
const B = 'http://127.0.0.1:8080/id';
const spellings = (table: string): string[][] =>
  table.split(/[|\n]/).flatMap((each) => (each.trim() === '' ? [] : [each.trim().split(' ')]));

/** Words as they are typed, likely ones first. */
export const PLAIN = spellings(`
  --region eu | --region=us | -r eu | -r us | --sandbox | --no-sandbox
  --profile acme | --profile=default | -p acme
  --auth-url ${A} | --auth-url=${B}/
  --auth-url https://{region}.example.com | --auth-url=HTTPS://A.example.com:443/
  --min-ttl 90 | --min-ttl=1h | --min-ttl 2h | --timeout 5s | --timeout=1m | --retries 0
  --ca-file /etc/ssl/ca.pem
  --format token | --format json | --format=header | --format=curl | --output -
`);
/** Each spelling of the grammar that is not the plain one. */
export const QUIRKS = [
  ...spellings(`
    --no-cache | --cache | --fresh | --verbose | --help | --version | get | --
    -reu | -r=eu | --region= | --region EU | --region | --region=-1 | --region --sandbox | --no-region eu
    --sandbox=1 | --no-sandbox=0 | --profile Acme | --profile __proto__ | -vp acme
    --min-ttl -5 | --timeout 0 | --ca-file --sandbox
    --auth-url http://a.example.com | --auth-url ${A}/oauth2/token
    --output /nowhere/file | --format yaml | --format constructor | --no-format=json
    --Region eu | -s | -- --region eu
  `),
  ['--region', ''],
  [''],
  ['--region\n', 'eu'],
];
const ENV_FLAGS = [
  [],
  ...spellings(`
    --format sh | --format=fish | --format powershell | --format json | --format github-env
    --prefix EU_ | --prefix= | --unset | --prefix EU_ --unset | --prefix 1
  `),
];

export const words = fc
  .array(
    fc.oneof(
      { weight: 12, arbitrary: fc.constantFrom(...PLAIN) },
      { weight: 1, arbitrary: fc.constantFrom(...QUIRKS) },
    ),
    { maxLength: 5 },
  )
  .chain((flags) =>
    fc.oneof(
      { weight: 2, arbitrary: fc.constant(['get', ...flags.flat()]) },
      fc.constantFrom(...ENV_FLAGS).map((own) => ['env', ...own, ...flags.flat()]),
    ),
  );

/** Seldom, since one bad value among thirty is enough to leave a case to the CLI. */
const sometimes = <T>(values: readonly T[], weight = 50) =>
  fc.oneof(
    { weight, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constantFrom(...values) },
  );
const mostly = <T>(usual: readonly T[], other: readonly T[]) =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...usual) },
    { weight: 1, arbitrary: fc.constantFrom(...other) },
  );
export const variables = fc.record({
  GWTOKEN_REGION: mostly(['eu', 'us'], ['', 'EU', undefined]),
  GWTOKEN_SANDBOX: sometimes(['1', 'true', '0', 'false', '', 'yes']),
  GWTOKEN_PROFILE: sometimes(['acme', 'default', '', 'Acme', 'x'.repeat(65)]),
  GWTOKEN_AUTH_URL: mostly([A], [B, `${B}/`, 'https://{region}.example.com', '', 'ftp://x', undefined]),
  GWTOKEN_AUTH_URL_EU: sometimes([A, B, '', 'x']),
  GWTOKEN_AUTH_URL_US: sometimes([A, B, '', 'x']),
  GWTOKEN_MIN_TTL: sometimes(['60', '1h', '2h', '', 'soon']),
  GWTOKEN_TIMEOUT: sometimes(['3s', '', '2h', 'x']),
  GWTOKEN_RETRIES: sometimes(['1', '', '99']),
  GWTOKEN_NO_CACHE: sometimes(['1', '0', '', 'yes']),
  GWTOKEN_CA_FILE: sometimes(['/etc/ssl/ca.pem', '']),
  GWTOKEN_KEYCHAIN_TIMEOUT: sometimes(['5s', 'x']),
  GITHUB_ACTIONS: sometimes(['true', 'false', '']),
  CI: sometimes(['true']),
  NO_COLOR: sometimes(['1']),
  NODE_TLS_REJECT_UNAUTHORIZED: sometimes(['0', '1']),
  XDG_CACHE_HOME: sometimes(['relative', '']),
});

const ID = { GWTOKEN_CLIENT_ID: 'client' };
export const credentials = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  {
    weight: 3,
    arbitrary: fc.constantFrom<Record<string, string>>(
      { ...ID, GWTOKEN_CLIENT_SECRET: 'secret' },
      { GWTOKEN_CLIENT_ID_EU: 'client', GWTOKEN_CLIENT_SECRET_EU: 'secret' },
      { GWTOKEN_SANDBOX_CLIENT_ID: 'client', GWTOKEN_SANDBOX_CLIENT_SECRET: 'secret' },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Record<string, string>>(
      { ...ID, GWTOKEN_CLIENT_SECRET: 'changed' },
      { GWTOKEN_CLIENT_ID: 'other', GWTOKEN_CLIENT_SECRET: 'secret' },
      ID,
      { ...ID, GWTOKEN_CLIENT_SECRET: '' },
      { GWTOKEN_CLIENT_ID: '', GWTOKEN_CLIENT_SECRET: '' },
      { ...ID, GWTOKEN_CLIENT_SECRET: 'sec\x07ret' },
      { ...ID, GWTOKEN_CLIENT_SECRET_FILE: '/nowhere/secret' },
      { ...ID, GWTOKEN_CLIENT_SECRET_FILE: '/nowhere/secret', GWTOKEN_CLIENT_SECRET: 'secret' },
    ),
  },
);

const values = {
  region: ['eu', 'us', 'EU', 1],
  sandbox: [true, false, 'true', 'yes', 2],
  'auth-url': [A, B, 'https://{region}.example.com', 'x'],
  'auth-url.eu': [A, B, ''],
  'min-ttl': ['60', 60, '2h', 'soon'],
  timeout: ['5s', 5, 'x'],
  retries: [0, '1', 11],
  'ca-file': ['/etc/ssl/ca.pem', ''],
  'credential-command': ['true'],
};
const general = {
  ...values,
  profile: ['acme', 'default', 'Acme'],
  cache: ['on', 'on', 'off', 'no'],
  'keychain-timeout': ['5s', 'x'],
};
const keys = (table: Record<string, unknown[]>) =>
  fc
    .record(Object.fromEntries(Object.entries(table).map(([key, each]) => [key, sometimes(each, 25)])))
    .map((chosen) => Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== undefined)));
export const config = fc.oneof(
  { weight: 4, arbitrary: fc.constant(undefined) },
  { weight: 4, arbitrary: keys(general).map((own) => JSON.stringify(own)) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(keys(general), keys(values), keys(values))
      .map(([own, acme, plain]) => JSON.stringify({ ...own, profiles: { acme, default: plain } })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', '{', '[]', 'null', '{"profiles":[]}', '{"regoin":"eu"}', '{"region":{}}'),
  },
);

const entry: fc.Arbitrary<MadeEntry> = fc.record({
  authUrl: mostly([A], [B, 'https://eu.example.com']),
  of: mostly(['same'], ['keychain', 'secret', 'changed']),
  accessToken: fc.constantFrom('plain', 'with "quotes" and \\', '~!@ #$%'),
  scope: fc.constantFrom('', 'read write'),
  ageS: mostly([0, 1, 10, 100], [3000, 3500, 4000, -5]),
  lifetimeS: mostly([3600, 86_400], [10]),
  damage: mostly([''], ['torn', 'version', 'mode', 'foreign']),
});

/** A cache entry as the file is made from it. */
export interface MadeEntry {
  readonly authUrl: string;
  /** Whose it is: the client's that the case has, the keychain's, or that of variables with this secret. */
  readonly of: string;
  readonly accessToken: string;
  readonly scope: string;
  readonly ageS: number;
  readonly lifetimeS: number;
  readonly damage: string;
}

export const CLIENTS: readonly Client[] = ['default', 'acme'].flatMap((profile) =>
  (['production', 'sandbox'] as const).flatMap((environment) =>
    (['eu', 'us'] as const).map((region) => ({ profile, environment, region })),
  ),
);
export const cached = fc
  .array(fc.oneof({ weight: 9, arbitrary: entry }, { weight: 1, arbitrary: fc.constant(undefined) }), {
    minLength: CLIENTS.length,
    maxLength: CLIENTS.length,
  })
  .map((each) => each.flatMap((made, index) => (made ? [{ client: CLIENTS[index]!, made }] : [])));
