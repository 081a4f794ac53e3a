/** The exact output of each format. exact.test.ts and test/shells show that real readers understand it. */
import { describe, expect, test } from 'vitest';
import { valueOrError } from '../../src/errors';
import {
  ENV_FORMAT_NAMES,
  envFormat,
  envOptions,
  envOutput,
  failureOutput,
} from '../../src/formats/env-formats';
import { printVariables } from '../../src/formats/format';
import { GET_FORMAT_NAMES, getFormat } from '../../src/formats/get-formats';
import { tokenVariables, variableNames } from '../../src/formats/token-variables';
import type { FlagValues } from '../../src/settings/table';
import type { Token } from '../../src/token/token';
import { refusal } from '../settings/refusal';
import { EDGES, randomValues, SINGLE_CHARACTERS } from '../shells/values';

const VARIABLES = [
  { name: 'A', value: "t k'2" },
  { name: 'B', value: '' },
  { name: 'C', value: undefined },
  { name: 'D', value: 'plain-1' },
];

interface Printed {
  /** Lines that set or remove VARIABLES. */
  readonly lines: readonly string[];
  /** Statement that fails with exit code 5. */
  readonly failure?: string;
  /** Line that evaluates the output of the command `it`. */
  readonly evaluating?: string;
}
const PRINTED: Readonly<Record<string, Printed>> = {
  sh: {
    lines: [
      "A='t'\"`printf %1s`\"'k'\"`printf '\\047'`\"'2';export A;",
      "B='';export B;",
      'unset C;',
      "D='plain-1';export D;",
    ],
    failure: 'sh -c "exit 5";\n',
    evaluating: 'eval $(it)',
  },
  fish: {
    lines: [
      'set -gx A t\\X20k\\X272; or true;',
      "set -gx B ''; or true;",
      'set -eg C; or true;',
      'set -gx D plain-1; or true;',
    ],
    failure: 'sh -c "exit 5";\n',
    evaluating: 'it | source',
  },
  powershell: {
    lines: [
      "$env:A = 't k''2'",
      "$env:B = ''",
      'Remove-Item Env:C -ErrorAction SilentlyContinue',
      "$env:D = 'plain-1'",
    ],
    failure: "throw 'gwtoken failed (exit code 5)'\n",
    evaluating: 'it | Out-String | Invoke-Expression',
  },
  json: { lines: ['{"A":"t k\'2","B":"","C":null,"D":"plain-1"}'] },
  dotenv: { lines: ['A="t k\'2"', 'B=', 'D=plain-1'] },
  docker: { lines: ["A=t k'2", 'B=', 'D=plain-1'] },
  'github-env': { lines: heredocs({ A: "t k'2", B: '', C: '', D: 'plain-1' }) },
  'github-output': { lines: heredocs({ a: "t k'2", b: '', c: '', d: 'plain-1' }) },
  azure: {
    lines: [
      "##vso[task.setvariable variable=A]t k'2",
      '##vso[task.setvariable variable=B]',
      '##vso[task.setvariable variable=C]',
      '##vso[task.setvariable variable=D]plain-1',
    ],
  },
};

function heredocs(values: Record<string, string>): string[] {
  return Object.entries(values).flatMap(([name, value]) => [
    `${name}<<ghadelimiter_gwtoken`,
    value,
    'ghadelimiter_gwtoken',
  ]);
}

const print = (format: string, value: string) => printVariables([{ name: 'N', value }], envFormat(format));

test('PRINTED lists each format in the order of the help', () => {
  expect(Object.keys(PRINTED)).toEqual(ENV_FORMAT_NAMES);
});

test.each(Object.entries(PRINTED))(
  '%s prints its statements to set, remove and fail, and its evaluating line',
  (name, printed) => {
    const format = envFormat(name);
    expect(printVariables(VARIABLES, format)).toBe(printed.lines.map((line) => `${line}\n`).join(''));
    expect(format.fail?.(5)).toBe(printed.failure);
    expect(format.evaluatingLine?.('it')).toBe(printed.evaluating);
  },
);

const ALIASES = { bash: 'sh', zsh: 'sh', ksh: 'sh', dash: 'sh', pwsh: 'powershell' };
test.each(Object.entries(ALIASES))('--format %s is the same as --format %s', (shell, format) => {
  expect(envFormat(shell)).toBe(envFormat(format));
});

test('sh prints no text that the shell splits or expands before eval parses it', () => {
  const statement =
    /^N=('[A-Za-z0-9_./@+=%,-]+'|"`printf %[1-9][0-9]*s`"|"`printf '(\\[0-7]{3})+'`"|'')+;export N;\n$/;
  for (const value of [
    ...SINGLE_CHARACTERS,
    ...EDGES.filter(({ length }) => length < 100),
    ...randomValues(500, 5),
  ])
    expect(print('sh', value)).toMatch(statement);
});

test.each<[format: string, literals: string, statement: (literal: string) => string]>([
  ['sh', '%+,-./=@_', (literal) => `N='${literal}';export N;\n`],
  ['fish', '+,-./:=@_', (literal) => `set -gx N ${literal}; or true;\n`],
  ['dotenv', '%+,-./:=@_', (literal) => `N=${literal}\n`],
])('%s prints only letters, digits and %s literally', (name, literals, statement) => {
  const isLiteral = (char: string) => valueOrError(() => print(name, `a${char}`)) === statement(`a${char}`);
  expect(SINGLE_CHARACTERS.filter(isLiteral)).toEqual(
    SINGLE_CHARACTERS.filter((char) => literals.includes(char) || /[A-Za-z0-9]/.test(char)),
  );
});

test('sh puts at most 1000 characters into one printf and 200 runs into one word', () => {
  const printf = (count: number) => `"\`printf '${'\\044'.repeat(count)}'\`"`;
  expect(print('sh', '$'.repeat(1001))).toBe(`N=${printf(1000)}${printf(1)};export N;\n`);
  const runs = (count: number) => `'a'${printf(1)}`.repeat(count / 2);
  expect(print('sh', 'a$'.repeat(202))).toBe(
    `N=${runs(200)};N="$N"${runs(200)};N="$N"${runs(4)};export N;\n`,
  );
});

test('dotenv, docker and powershell accept unusual values that their readers keep unchanged', () => {
  for (const value of ['=ls', 'a:=ls', 'a $b "c" `d`']) expect(print('dotenv', value)).toBe(`N='${value}'\n`);
  for (const value of [`'a`, `a'`, `'a"`, `a'b'`, `'a'b`, `x"y"`, `"y"x`])
    expect(print('docker', value)).toBe(`N=${value}\n`);
  expect(print('powershell', 'a'.repeat(32_766))).toContain('a'.repeat(32_766));
});

test.each<[format: string, problem: string, ...values: string[]]>([
  ['dotenv', 'contains quotes or a backslash, which .env parsers treat differently', `'"`],
  ['docker', 'is in quotes, which some Docker versions strip', "'quoted'"],
  ['powershell', 'is too long for a Windows environment variable', 'a'.repeat(32_767)],
  ['azure', 'contains %, $( or a space at an end, which agents may change', 'a%b', 'a$(b', 'a ', ' a'],
])('%s rejects a value that %s', (format, problem, ...values) => {
  const refused = { message: `cannot pass N unchanged: its value ${problem}`, hints: [] };
  for (const value of values) expect(refusal(() => print(format, value))).toEqual(refused);
});

const TOKEN: Token = {
  accessToken: 'a"\\b',
  // gwtoken passes the type on in the endpoint's spelling.
  tokenType: 'bEARER',
  scope: 'read',
  requestedAtMs: Date.UTC(2030, 0, 1, 0, 0, 0, 999),
  lifetimeS: 60,
};
const NAMES = ['ACCESS_TOKEN', 'TOKEN_TYPE', 'EXPIRES_AT', 'SCOPE'];

test('tokenVariables returns four variables, and no value for an unknown fact', () => {
  const values = (token?: Token) => tokenVariables(token, { prefix: 'X_' }).map(({ value }) => value);
  expect(tokenVariables(TOKEN, { prefix: 'X_' }).map(({ name }) => name)).toEqual(
    NAMES.map((name) => `X_${name}`),
  );
  expect(values(TOKEN)).toEqual(['a"\\b', 'bEARER', String(Date.UTC(2030, 0, 1, 0, 1) / 1000), 'read']);
  const without = { ...TOKEN, lifetimeS: undefined, scope: '' };
  expect(values(without)).toEqual(['a"\\b', 'bEARER', undefined, undefined]);
});

test('--variable names the only variable, which has the token', () => {
  const names = variableNames({ variable: 'API_TOKEN' });
  expect(tokenVariables(TOKEN, names)).toMatchObject([{ name: 'API_TOKEN', value: TOKEN.accessToken }]);
  expect(refusal(() => variableNames({ prefix: 'A_', variable: 'B' })).message).toBe(
    '--prefix and --variable cannot be used together',
  );
});

test('azure marks the token as secret under any name', () => {
  const output = envOutput(TOKEN, envOptions({ format: 'azure', variable: 'API_KEY' }));
  expect(output).toBe(`##vso[task.setvariable variable=API_KEY;issecret=true]${TOKEN.accessToken}\n`);
});

test.each([
  ['prefix', 'EU_'],
  ['variable', 'API_TOKEN'],
] as const)('--%s accepts only what can start a variable name', (flag, example) => {
  for (const good of ['A', '_', 'a1_', 'EU_'])
    expect(variableNames({ [flag]: good })).toMatchObject({ [flag]: good });
  for (const bad of ['', '1', 'A-', ' A', 'A\n', 'Ä'])
    expect(refusal(() => variableNames({ [flag]: bad }))).toEqual({
      message: `invalid ${flag} ${JSON.stringify(bad)} (from --${flag})`,
      hints: [`use letters, digits and underscores, no digit first: for example ${example}`],
    });
});

describe('env', () => {
  const removed = (prefix: string) => NAMES.map((name) => `unset ${prefix}${name};\n`).join('');

  test('uses the format and prefix of its flags, otherwise sh and GWTOKEN_', () => {
    expect(envOutput(undefined, envOptions({}))).toBe(removed('GWTOKEN_'));
    expect(envOutput(undefined, envOptions({ format: 'fish', prefix: 'EU_' }))).toBe(
      NAMES.map((name) => `set -eg EU_${name}; or true;\n`).join(''),
    );
    const outputs = (flags: object) => envOutput(TOKEN, envOptions({ format: 'github-output', ...flags }));
    expect(outputs({})).toMatch(/^access-token<</);
    expect(outputs({ prefix: 'EU_' })).toMatch(/^eu-access-token<</);
  });

  const unset = (format: string) =>
    `--unset does not work with --format ${format}: such a file can only set variables`;
  const unknown = (name: string) => `unknown format "${name}" (from --format)`;
  const known = `use: ${ENV_FORMAT_NAMES.join(' ')}`;
  test.each<[flags: Record<string, string | true>, message: string, hint: string]>([
    [{ format: 'dotenv', unset: true }, unset('dotenv'), 'delete the file or the lines in it'],
    [{ format: 'docker', unset: true }, unset('docker'), 'delete the file or the lines in it'],
    [{ format: 'bogus' }, unknown('bogus'), known],
    [{ format: 'toString' }, unknown('toString'), known],
  ])('rejects the flags %j', (flags, message, hint) => {
    expect(`hint: ${hint}`.length).toBeLessThanOrEqual(80);
    expect(refusal(() => envOptions(flags))).toEqual({ message, hints: [hint] });
  });

  test.each<[flags: FlagValues, removing: string]>([
    [{}, removed('GWTOKEN_')],
    [{ prefix: 'B_' }, removed('B_')],
    [{ prefix: '1' }, removed('GWTOKEN_')],
    [{ format: 'nonsense', prefix: 'A_' }, removed('A_')],
    [{ format: 'zsh' }, removed('GWTOKEN_')],
    [{ variable: 'API_TOKEN' }, 'unset API_TOKEN;\n'],
  ])('removes the variables and fails with the flags %j', (flags, removing) => {
    expect(failureOutput(flags, 9)).toBe(`${removing}sh -c "exit 9";\n`);
  });

  test('prints nothing on failure in formats whose reader fails without output', () => {
    expect(failureOutput({ format: 'JSON' }, 9)).toBe('');
  });
});

describe('get', () => {
  const answer = {
    token: TOKEN,
    clientId: 'id',
    authUrl: 'https://a.test',
    query: {
      key: { client: { profile: 'p', environment: 'sandbox', region: 'us' }, facts: [], secret: '' },
      minTtl: undefined,
    },
    from: 'cache',
  } as const;
  const get = (flags: Record<string, string | boolean>, more: Partial<Token> = {}) =>
    getFormat(flags)({ ...answer, token: { ...TOKEN, ...more } }, TOKEN.requestedAtMs + 1001);

  const PRINTS: Readonly<Record<string, string>> = {
    token: 'a"\\b\n',
    json:
      '{"access_token":"a\\"\\\\b","token_type":"bEARER","expires_in":58,"expires_at":"2030-01-01T00:01:00Z",' +
      '"scope":"read","region":"us","environment":"sandbox","profile":"p","client_id":"id",' +
      '"auth_url":"https://a.test","source":"cache"}\n',
    header: 'Authorization: Bearer a"\\b\n',
    headers: '{"Authorization":"Bearer a\\"\\\\b"}\n',
    curl: 'header = "Authorization: Bearer a\\"\\\\b"\n',
    'credential-helper':
      '{"headers":{"Authorization":["Bearer a\\"\\\\b"]},"expires":"2030-01-01T00:01:00Z"}\n',
  };
  test('prints each of its formats', () => {
    expect(Object.keys(PRINTS)).toEqual(GET_FORMAT_NAMES);
    for (const [format, printed] of Object.entries(PRINTS)) expect(get({ format })).toBe(printed);
    expect([get({}), get({ json: true })]).toEqual([PRINTS['token'], PRINTS['json']]);
    expect(refusal(() => get({ format: 'yaml' })).hints).toEqual([`use: ${GET_FORMAT_NAMES.join(' ')}`]);
  });

  test('rejects --json together with --format', () => {
    const message = '--json and --format cannot be used together';
    const refused = { message, hints: ['omit one of them'] };
    expect(refusal(() => get({ json: true, format: 'header' }))).toEqual(refused);
  });

  test('escapes ## in JSON', () => {
    const hostile = get({ format: 'json' }, { scope: '##vso[task.complete]' });
    expect(hostile).not.toContain('##');
    expect(JSON.parse(hostile)).toMatchObject({ scope: '##vso[task.complete]' });
  });

  test('prints no expiry if the endpoint gave none', () => {
    const json = JSON.parse(get({ format: 'json' }, { lifetimeS: undefined }));
    expect(json).toMatchObject({ expires_in: null, expires_at: null });
    expect(get({ format: 'credential-helper' }, { lifetimeS: undefined })).not.toContain('expires');
  });
});
