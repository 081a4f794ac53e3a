/** Checks which secret goes to which address, for each combination of client, credentials and addresses. */
import { expect, test } from 'vitest';
import { inside } from '../harness/homes/in-process';

const STRAY = 'https://stray.test';
const CONFIG = {
  region: 'eu',
  'auth-url': 'https://{region}.general.test',
  'auth-url.us': 'https://us-own.test',
};
const OF_ACME = { region: 'us', sandbox: true, 'auth-url.us': 'https://us.acme.test' };
/** The addresses in that config file, by profile and region. */
const CONFIGURED: Readonly<Record<string, string>> = {
  'default eu': 'https://eu.general.test',
  'default us': 'https://us-own.test',
  'acme eu': 'https://eu.general.test',
  'acme us': 'https://us.acme.test',
};
/** The addresses that the keychain's clients are bound to. Two of them differ from the config file's. */
const STORED: Readonly<Record<string, string>> = {
  'default:production:eu': 'https://eu.general.test',
  'default:production:us': STRAY,
  'default:sandbox:eu': 'https://eu.general.test',
  'default:sandbox:us': 'https://us-own.test',
  'acme:production:eu': 'https://before.test',
  'acme:production:us': 'https://us.acme.test',
  'acme:sandbox:eu': 'https://eu.general.test',
  'acme:sandbox:us': 'https://us.acme.test',
};

/** Credentials besides the keychain's. */
interface Beside {
  /** Name of two variables, in which `@` stands for ID and SECRET. */
  readonly pair?: string;
  /** Auth URL in the output of the general command. */
  readonly general?: { readonly auth_url?: string };
  /** The same for acme's command. */
  readonly acme?: { readonly auth_url?: string };
}
const BESIDE: readonly (readonly [title: string, beside: Beside])[] = [
  ['the keychain', {}],
  ['variables for eu', { pair: 'CLIENT_@_EU' }],
  ['variables for the sandbox', { pair: 'SANDBOX_CLIENT_@' }],
  ["a general command and acme's", { general: {}, acme: { auth_url: 'https://us.acme.test' } }],
  ['a command with a stray auth URL', { general: { auth_url: STRAY } }],
];

const CHOICES = {
  profileFlag: [undefined, 'default', 'acme'],
  profileVariable: [undefined, 'acme'],
  regionFlag: [undefined, 'eu', 'us'],
  regionVariable: [undefined, 'us'],
  sandboxFlag: [undefined, '--sandbox', '--no-sandbox'],
  sandboxVariable: [undefined, '1'],
  strayUrl: [undefined, '--auth-url', 'GWTOKEN_AUTH_URL', 'GWTOKEN_AUTH_URL_US'],
} as const;
type Choice = { readonly [Name in keyof typeof CHOICES]: (typeof CHOICES)[Name][number] };
/**
 * All choices. Only for the profile a variable stands beside a flag, and flags for region and sandbox stand beside no
 * variable for the other; the settings' tests have the rest.
 */
const ALL = Object.entries(CHOICES)
  .reduce<object[]>(
    (rows, [name, values]) => rows.flatMap((row) => values.map((value) => ({ ...row, [name]: value }))),
    [{}],
  )
  .map((row) => row as Choice)
  .filter(({ profileFlag, profileVariable }) => profileFlag !== 'acme' || !profileVariable)
  .filter(
    ({ regionFlag, sandboxFlag, regionVariable, sandboxVariable }) =>
      !(regionFlag || sandboxFlag) || !(regionVariable || sandboxVariable),
  );

/** Returns the secret and the address that the contract requires; undefined if no secret may be sent. */
function expected(chosen: Choice, { pair = '', general, acme }: Beside): string | undefined {
  const profile = chosen.profileFlag ?? chosen.profileVariable ?? 'default';
  const region = chosen.regionFlag ?? chosen.regionVariable ?? (profile === 'acme' ? 'us' : 'eu');
  const isSandbox = chosen.sandboxFlag
    ? chosen.sandboxFlag === '--sandbox'
    : chosen.sandboxVariable === '1' || profile === 'acme';
  const isStray = chosen.strayUrl && (chosen.strayUrl !== 'GWTOKEN_AUTH_URL_US' || region === 'us');
  const url = isStray ? STRAY : CONFIGURED[`${profile} ${region}`];

  const hasVariables = pair === 'CLIENT_@_EU' ? region === 'eu' : pair !== '' && isSandbox;
  if (hasVariables && !chosen.profileFlag) return `variables to ${url}`;
  const whose = profile === 'acme' && acme ? 'acme' : 'general';
  const printed = whose === 'acme' ? acme : general;
  if (printed) {
    const isOwn = printed.auth_url ? printed.auth_url === url : !isStray;
    return isOwn ? `command of ${whose} to ${url}` : undefined;
  }
  const client = `${profile}:${isSandbox ? 'sandbox' : 'production'}:${region}`;
  return STORED[client] === url ? `keychain ${client} to ${url}` : undefined;
}

const gw = inside();
const credentials = (secret: string, more = {}) =>
  JSON.stringify({ client_id: 'id', client_secret: secret, ...more });
const command = (whose: string, printed?: object) =>
  printed && { 'credential-command': credentials(`command of ${whose}`, printed) };
const flag = (name: string, value?: string) => (value === undefined ? [] : [name, value]);

test.each(BESIDE)('a secret from %s is sent only to its own auth URL', async (_, beside) => {
  const { pair, general, acme } = beside;
  for (const [name, auth_url] of Object.entries(STORED))
    gw.items.set(name, credentials(`keychain ${name}`, { auth_url }));
  gw.configure({
    ...CONFIG,
    ...command('general', general),
    profiles: { acme: { ...OF_ACME, ...command('acme', acme) } },
  });
  gw.own = { runCredentialCommand: async (line) => Buffer.from(line) };
  const wrong: object[] = [];
  let refused = 0;
  for (const chosen of ALL) {
    const args = [
      ...flag('--profile', chosen.profileFlag),
      ...flag('--region', chosen.regionFlag),
      ...(chosen.sandboxFlag ? [chosen.sandboxFlag] : []),
      ...flag('--auth-url', chosen.strayUrl === '--auth-url' ? STRAY : undefined),
    ];
    gw.env = {
      GWTOKEN_PROFILE: chosen.profileVariable ?? '',
      GWTOKEN_REGION: chosen.regionVariable ?? '',
      GWTOKEN_SANDBOX: chosen.sandboxVariable ?? '',
      ...(chosen.strayUrl && { [chosen.strayUrl]: STRAY }),
      ...(pair && {
        [`GWTOKEN_${pair.replace('@', 'ID')}`]: 'id',
        [`GWTOKEN_${pair.replace('@', 'SECRET')}`]: 'variables',
      }),
    };
    gw.posts.length = 0;
    const { code } = await gw.cli(['get', '--no-cache', ...args]);
    const sent = gw.posts.map(({ url, form }) => `${form.get('client_secret')} to ${url}`);
    const right = expected(chosen, beside);
    if (right === undefined) refused++;
    const isRight =
      right === undefined
        ? code === 2 && sent.length === 0
        : code === 0 && String(sent) === `${right}/oauth2/token`;
    if (!isRight) wrong.push({ chosen, code, sent, right });
  }
  expect(wrong).toEqual([]);
  // Both outcomes are frequent, so neither is missing by mistake.
  expect(refused / ALL.length).toBeGreaterThan(0.2);
  expect(refused / ALL.length).toBeLessThan(0.8);
});
