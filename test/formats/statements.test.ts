/** The output of each format, word for word; that it arrives is tried in the shells and readers. */
import { describe, expect, test } from 'vitest';
import { valueOrError } from '../../src/errors';
import { formatNamed } from '../../src/formats/env-formats';
import {
  envDestination,
  envOptions,
  envOutput,
  failureOutput,
  unsetOutput,
} from '../../src/formats/env-output';
import { checkPrefix, tokenVariables } from '../../src/formats/format';
import { GET_FORMATS, getFormat } from '../../src/formats/get-formats';
import { escapeData } from '../../src/formats/mask';
import { ENV_FORMATS, type EnvFormat } from '../../src/formats/names';
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
  /** Of the variables above, or the error where one of them is refused. */
  readonly set: string;
  readonly unset: string;
  readonly failure?: string;
  readonly hint?: string;
}

const PRINTED: Readonly<Record<EnvFormat, Printed>> = {
  sh: {
    set: "A='t'\"`printf %1s`\"'k'\"`printf '\\047'`\"'2';export A;\nB='';export B;\nunset C;\nD='plain-1';export D;\n",
    unset: 'unset A B;\n',
    failure: 'unset A B;sh -c "exit 5";\n',
    hint: 'eval $(it)',
  },
  fish: {
    set: "set -gx A t\\X20k\\X272;\nset -gx B '';\nset -eg C; or true;\nset -gx D plain-1;\n",
    unset: 'set -eg A; or true;\nset -eg B; or true;\n',
    failure: 'set -eg A; or true;\nset -eg B; or true;\nsh -c "exit 5";\n',
    hint: 'it --format fish | source',
  },
  csh: {
    set: "setenv A t\"`printf '\\040'`\"k\"`printf '\\047'`\"2;\nsetenv B '';\nunsetenv C;\nsetenv D plain-1;\n",
    unset: 'unsetenv A;\nunsetenv B;\n',
    failure: 'unsetenv A;\nunsetenv B;\nsh -c "exit 5";\n',
    hint: 'eval `it --format csh`',
  },
  powershell: {
    set: "$env:A = 't k''2'\n$env:B = ''\nRemove-Item Env:C -ErrorAction SilentlyContinue\n$env:D = 'plain-1'\n",
    unset: 'Remove-Item Env:A,Env:B -ErrorAction SilentlyContinue\n',
    failure: "Remove-Item Env:A,Env:B -ErrorAction SilentlyContinue\nthrow 'gwtoken failed (exit code 5)'\n",
    hint: 'it --format powershell | Out-String | Invoke-Expression',
  },
  json: {
    set: '{"A":"t k\'2","B":"","C":null,"D":"plain-1"}\n',
    unset: '{"A":null,"B":null}\n',
  },
  dotenv: {
    set: 'A="t k\'2"\nB=\nD=plain-1\n',
    unset: '--unset does not work with --format dotenv: such a file can only set variables',
  },
  docker: {
    set: "A=t k'2\nB=\nD=plain-1\n",
    unset: '--unset does not work with --format docker: such a file can only set variables',
  },
  'github-env': {
    set: heredocs({ A: "t k'2", B: '', C: '', D: 'plain-1' }),
    unset: heredocs({ A: '', B: '' }),
  },
  'github-output': {
    set: heredocs({ a: "t k'2", b: '', c: '', d: 'plain-1' }),
    unset: "--unset does not work with --format github-output: a step's outputs cannot be removed",
  },
  azure: {
    set: loggingCommands({ A: "t k'2", B: '', C: '', D: 'plain-1' }),
    unset: loggingCommands({ A: '', B: '' }),
  },
};

const ALIASES = {
  ...{ bash: 'sh', zsh: 'sh', ksh: 'sh', dash: 'sh' },
  ...{ tcsh: 'csh', pwsh: 'powershell' },
};

function heredocs(values: Record<string, string>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}<<ghadelimiter_gwtoken\n${value}\nghadelimiter_gwtoken\n`)
    .join('');
}

function loggingCommands(values: Record<string, string>): string {
  return Object.entries(values)
    .map(([name, value]) => `##vso[task.setvariable variable=${name};issecret=true]${value}\n`)
    .join('');
}

/** What the work gives, or says when it refuses. */
function said(work: () => string): string {
  const result = valueOrError(work);
  return typeof result === 'string' ? result : result.message;
}

const set = (format: string, value: string) => formatNamed(format).set([{ name: 'N', value }]);

describe.each(ENV_FORMATS)('%s', (name) => {
  const format = formatNamed(name);
  const printed = PRINTED[name];

  test('prints these statements, to set, to remove, at a failure and to evaluate, and none for no variables', () => {
    expect(said(() => format.set(VARIABLES))).toBe(printed.set);
    expect(said(() => format.unset(['A', 'B']))).toBe(printed.unset);
    expect(format.failure?.(['A', 'B'], 5)).toBe(printed.failure);
    expect(format.set([])).toBe(name === 'json' ? '{}\n' : '');
    expect(format.hint?.('it')).toBe(printed.hint);
  });
});

test('a value of a .env file is in quotes that every reader takes alike, or in none', () => {
  for (const value of ['=ls', 'a:=ls', 'a $b "c" `d`']) expect(set('dotenv', value)).toBe(`N='${value}'\n`);
  expect(set('dotenv', "it's")).toBe('N="it\'s"\n');
  for (const value of [`'a`, `a'`, `'a"`, `a'b'`, `'a'b`, `x"y"`, `"y"x`])
    expect(set('docker', value)).toBe(`N=${value}\n`);
});

test('sh: nothing that a shell splits, globs or expands before eval parses it', () => {
  const statement =
    /^N=('[A-Za-z0-9_./@+=%,-]+'|"`printf %[1-9][0-9]*s`"|"`printf '(\\[0-7]{3})+'`"|'')+;export N;\n$/;
  for (const value of [
    ...SINGLE_CHARACTERS,
    ...EDGES.filter(({ length }) => length < 100),
    ...randomValues(500, 5),
  ])
    expect(set('sh', value)).toMatch(statement);
});

test.each(Object.entries(ALIASES))('%s means %s, at a failure too', (shell, format) => {
  expect(set(shell, 'x y')).toBe(set(format, 'x y'));
  expect(failureOutput(['env', '--format', shell], 4)).toBe(failureOutput(['env', '--format', format], 4));
});

test.each<[EnvFormat, string, (literal: string) => string]>([
  ['sh', '%+,-./=@_', (literal) => `N='${literal}';export N;\n`],
  ['csh', '%+,-./=@_', (literal) => `setenv N ${literal};\n`],
  ['fish', '+,-./:=@_', (literal) => `set -gx N ${literal};\n`],
  ['dotenv', '%+,-./:=@_', (literal) => `N=${literal}\n`],
])('%s has these characters as they are, beside letters and digits: %s', (name, literals, statement) => {
  const isLiteral = (char: string) => said(() => set(name, `a${char}`)) === statement(`a${char}`);
  expect(SINGLE_CHARACTERS.filter(isLiteral)).toEqual(
    SINGLE_CHARACTERS.filter((char) => literals.includes(char) || /[A-Za-z0-9]/.test(char)),
  );
});

test('csh takes no word for one of its stack of directories', () => {
  expect(set('csh', '=-1=')).toBe('setenv N "`printf \'\\075\'`"-1=;\n');
});

test('powershell takes a value as long as it can pass', () => {
  expect(set('powershell', 'a'.repeat(32_766))).toContain('a'.repeat(32_766));
});

test('a mask is escaped as the runner undoes it', () => {
  expect(escapeData('50%\r\n%0A')).toBe('50%25%0D%0A%250A');
});

describe('a refusal says what to do instead', () => {
  const EXEC = ['use instead: gwtoken exec -- COMMAND'];
  const DOCKER = ['use instead: gwtoken exec -- docker run -e NAME IMAGE'];
  test.each<[EnvFormat, string, string, string[]]>([
    ['dotenv', `'"`, 'contains quotes or a backslash, which .env parsers treat differently', EXEC],
    ['docker', "'quoted'", 'is in quotes, which some Docker versions strip', DOCKER],
    ['powershell', 'a'.repeat(32_767), 'is too long for a Windows environment variable', []],
    ['azure', 'a%b', 'contains %, which agents decode inconsistently', EXEC],
    ['azure', 'a$(b', 'contains $(, which the agent would expand', EXEC],
    ['azure', 'a ', 'begins or ends with a space, which may be trimmed', EXEC],
    ['sh', 'a\0', 'contains a control or non-ASCII character', []],
    ['sh', 'ü', 'contains a control or non-ASCII character', []],
    ['sh', 'a'.repeat(32 * 1024 + 1), 'is longer than 32 KiB', []],
  ])('%s', (format, value, problem, hints) => {
    const message = `cannot pass N unchanged: its value ${problem}`;
    expect(refusal(() => set(format, value))).toEqual({ message, hints });
  });

  test.each<[EnvFormat, string]>([
    ['dotenv', 'delete the file or the lines in it'],
    ['github-output', 'to clear variables set with github-env, run: gwtoken env --format github-env --unset'],
  ])('%s, of what it cannot unset', (format, hint) => {
    expect(refusal(() => formatNamed(format).unset(['A'])).hints).toEqual([hint]);
  });

  test('an unknown format, with those that there are', () => {
    for (const name of ['bogus', 'toString'])
      expect(refusal(() => formatNamed(name))).toEqual({
        message: `unknown format "${name}" (from --format)`,
        hints: [`use one of: ${ENV_FORMATS.join(', ')}`],
      });
  });
});

describe('sh, of values that are long', () => {
  test('takes a thousand characters by one printf, and two hundred pieces into one word', () => {
    const printf = (count: number) => `"\`printf '${'\\044'.repeat(count)}'\`"`;
    expect(set('sh', '$'.repeat(1001))).toBe(`N=${printf(1000)}${printf(1)};export N;\n`);
    const pieces = (count: number) => `'a'${printf(1)}`.repeat(count / 2);
    expect(set('sh', 'a$'.repeat(100))).toBe(`N=${pieces(200)};export N;\n`);
    expect(set('sh', 'a$'.repeat(202))).toBe(
      `N=${pieces(200)};N="$N"${pieces(200)};N="$N"${pieces(4)};export N;\n`,
    );
    expect(set('sh', '   ')).toBe('N="`printf %3s`";export N;\n');
  });
});

const TOKEN: Token = {
  accessToken: 'a"\\b',
  // Passed on as the endpoint writes it.
  tokenType: 'bEARER',
  scope: 'read',
  requestedAtMs: Date.UTC(2030, 0, 1, 0, 0, 0, 999),
  lifetimeS: 60,
};

describe('the variables of a token', () => {
  const of = (more: object) =>
    tokenVariables({ ...TOKEN, ...more }, 'X_').map(({ name, value }) => `${name}=${value}`);

  test('are four, with the expiry in whole seconds; without an expiry or a scope there is no value', () => {
    const expiry = Date.UTC(2030, 0, 1, 0, 1) / 1000;
    expect(of({})).toEqual([
      'X_ACCESS_TOKEN=a"\\b',
      'X_TOKEN_TYPE=bEARER',
      `X_EXPIRES_AT=${expiry}`,
      'X_SCOPE=read',
    ]);
    expect(of({ lifetimeS: undefined, scope: '' }).slice(2)).toEqual([
      'X_EXPIRES_AT=undefined',
      'X_SCOPE=undefined',
    ]);
  });

  test('take a prefix that makes a name', () => {
    for (const good of ['A', '_', 'a1_', 'EU_']) expect(checkPrefix(good)).toBe(good);
    for (const bad of ['', '1', 'A-', ' A', 'A\n', 'Ä'])
      expect(refusal(() => checkPrefix(bad))).toEqual({
        message: `invalid prefix ${JSON.stringify(bad)} (from --prefix)`,
        hints: ['use letters, digits and underscores, not starting with a digit, for example EU_'],
      });
  });
});

describe('the output of env', () => {
  const NAMES = ['ACCESS_TOKEN', 'TOKEN_TYPE', 'EXPIRES_AT', 'SCOPE'];

  test('has the default format and prefix, or those that are given', () => {
    expect(unsetOutput(envOptions({}))).toBe(`unset ${NAMES.map((name) => `GWTOKEN_${name}`).join(' ')};\n`);
    expect(unsetOutput(envOptions({ format: 'csh', prefix: 'EU_' }))).toBe(
      NAMES.map((name) => `unsetenv EU_${name};\n`).join(''),
    );
    for (const flag of ['format', 'prefix'])
      expect(refusal(() => envOptions({ [flag]: '!' })).message).toContain(`"!" (from --${flag})`);
  });

  test('of github-output has names of its own, and takes no prefix', () => {
    expect(envOutput(TOKEN, envOptions({ format: 'github-output' }))).toMatch(/^access-token<</);
    expect(refusal(() => envOptions({ format: 'github-output', prefix: 'EU_' }))).toEqual({
      message: '--prefix does not work with --format github-output: its output names are fixed',
      hints: ['for two clients, use two steps with different ids'],
    });
  });

  test('goes to stdout, or to the file that its variable names, or is refused before anything is asked', () => {
    const written: string[] = [];
    const outside = (env: Record<string, string>) => ({
      env,
      stdout: { isTTY: () => false, write: (text: string) => void written.push(`stdout ${text}`) },
      appender: (path: string, variable: string) => (text: string) =>
        void written.push(`${variable} ${path} ${text}`),
    });
    envDestination(envOptions({}), outside({}))('a');
    const github = envOptions({ format: 'github-env' });
    envDestination(github, outside({ GITHUB_ENV: '/f' }))('b');
    expect(written).toEqual(['stdout a', 'GITHUB_ENV /f b']);
    for (const env of [{}, { GITHUB_ENV: '' }] as Record<string, string>[])
      expect(refusal(() => envDestination(github, outside(env)))).toEqual({
        message: '--format github-env needs the environment variable GITHUB_ENV, which is not set',
        hints: ['GitHub Actions sets it in each step; for a shell, see: gwtoken help shells'],
      });
  });

  test.each<[string[], string]>([
    [['env'], 'GWTOKEN_'],
    [['env', '--prefix', 'A_', '--prefix=B_'], 'B_'],
    [['env', '--prefix', '1'], 'GWTOKEN_'],
    [['env', '--prefix'], 'GWTOKEN_'],
    [['env', '--prefixes', 'A_'], 'GWTOKEN_'],
    [['env', '--format', 'nonsense', '--prefix', 'A_'], 'A_'],
  ])('of a failure of %j has the prefix %s', (argv, prefix) => {
    expect(failureOutput(argv, 9)).toBe(
      `unset ${NAMES.map((name) => prefix + name).join(' ')};sh -c "exit 9";\n`,
    );
  });
});

describe('the output of get', () => {
  const answer = {
    token: TOKEN,
    clientId: 'id',
    query: {
      client: { profile: 'p', environment: 'sandbox', region: 'us' },
      authUrl: { value: 'https://a.test', text: '', source: { kind: 'flag', name: '' } },
      minTtl: undefined,
    },
    from: 'cache',
  } as const;
  const get = (flags: Record<string, string>, more: Partial<Token> = {}) =>
    getFormat(flags)({ ...answer, token: { ...TOKEN, ...more } }, TOKEN.requestedAtMs + 1001);

  /** What each prints: a new format gets its line here. */
  const PRINTS: Readonly<Record<string, RegExp>> = {
    token: /^a"\\b\n$/,
    json: /^\{"access_token":.*\}\n$/,
    header: /^Authorization: Bearer a"\\b\n$/,
    headers: /^\{"Authorization":"Bearer a\\"\\\\b"\}\n$/,
    curl: /^header = "Authorization: Bearer a\\"\\\\b"\n$/,
    'credential-helper': /^\{"headers":.*"expires":.*\}\n$/,
  };
  test('is known here for every format', () => {
    expect(Object.keys(PRINTS)).toEqual(GET_FORMATS);
    for (const [format, printed] of Object.entries(PRINTS)) expect(get({ format })).toMatch(printed);
  });

  test('in JSON breaks what a CI system takes for a command', () => {
    const hostile = get({ format: 'json' }, { scope: '##vso[task.complete]' });
    expect(hostile).not.toContain('##');
    expect(JSON.parse(hostile)).toMatchObject({ scope: '##vso[task.complete]' });
  });

  test('credential-helper has the headers, and when the minimum life begins', () => {
    const helper = (value?: number, more: Partial<Token> = {}) => {
      const source = { kind: 'flag', name: '' } as const;
      const minTtl = value === undefined ? undefined : { value, text: '', source };
      const write = getFormat({ format: 'credential-helper' });
      return JSON.parse(
        write({ ...answer, query: { ...answer.query, minTtl }, token: { ...TOKEN, ...more } }, 0),
      );
    };
    const headers = { Authorization: ['Bearer a"\\b'] };
    // A fifth of the minute that it lasts.
    expect(helper(undefined)).toEqual({ headers, expires: '2030-01-01T00:00:48.999Z' });
    expect(helper(30_000)).toEqual({ headers, expires: '2030-01-01T00:00:30.999Z' });
    expect(helper(undefined, { lifetimeS: undefined })).toEqual({ headers });
  });

  test('is the token, or JSON with all that is known of it', () => {
    expect(get({})).toBe(get({ format: 'token' }));
    expect(JSON.parse(get({ format: 'json' }))).toEqual({
      access_token: 'a"\\b',
      token_type: 'bEARER',
      expires_in: 58,
      expires_at: '2030-01-01T00:01:00.999Z',
      scope: 'read',
      region: 'us',
      environment: 'sandbox',
      profile: 'p',
      client_id: 'id',
      auth_url: 'https://a.test',
      source: 'cache',
    });
    expect(JSON.parse(get({ format: 'json' }, { lifetimeS: undefined }))).toMatchObject({
      expires_in: null,
      expires_at: null,
    });
    expect(refusal(() => get({ format: 'yaml' }))).toEqual({
      message: 'unknown format "yaml" (from --format)',
      hints: [`use one of: ${GET_FORMATS.join(', ')}`],
    });
  });
});
