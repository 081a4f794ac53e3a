/** Checks that each flag of each command has a visible effect. A flag without a row here fails. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../src/commands/grammar';
import { allCommands, longForm } from '../harness/command-lines';
import { tokenReply } from '../harness/endpoints/token-endpoint';
import { putToken } from '../harness/homes/client';
import { inside, jsonReply } from '../harness/homes/in-process';
import { PLAIN } from '../harness/homes/plain-terminal';

const AUTH_URL = 'https://a.example.com';
const OTHER_URL = 'https://b.example.com';
const CLIENTS = [
  'default:production:eu',
  'default:production:us',
  'default:sandbox:eu',
  'acme:production:eu',
];
const idOf = (name: string): string => name.replaceAll(':', '-');
const CONFIG = JSON.stringify({ region: 'eu', 'auth-url': AUTH_URL, profiles: { acme: { timeout: '7s' } } });

interface Row {
  /** Default: the line of the command. */
  readonly line?: string;
  readonly value?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** HTTP status of each reply. */
  readonly status?: number;
  /** Matches the outcome with the flag, but not the outcome without it. */
  readonly shows: RegExp;
}
type Rows = Readonly<Record<string, Row>>;

/** @param shown how the command shows the client that it works on */
const naming = (shown: (client: string) => string): Rows => ({
  '--region': { value: 'us', shows: new RegExp(shown('default:production:us'), 'm') },
  '--sandbox': { shows: new RegExp(shown('default:sandbox:eu'), 'm') },
  '--no-sandbox': {
    env: { GWTOKEN_SANDBOX: '1' },
    shows: new RegExp(shown('default:production:eu'), 'm'),
  },
  '--profile': { value: 'acme', shows: new RegExp(shown('acme:production:eu'), 'm') },
});
/** Selects a client without a cached token. */
const UNCACHED = { GWTOKEN_REGION: 'us' };
const REQUEST: Rows = {
  '--timeout': { env: UNCACHED, value: '3s', shows: /within 3000 ms/ },
  // Matches if no client posts twice.
  '--retries': { env: UNCACHED, value: '0', status: 503, shows: /^(?!.*posts (\S+) .*posts \1 )/s },
  '--ca-file': { env: UNCACHED, value: '/ca.pem', shows: /CA file:? \/ca\.pem/ },
  '--auth-url': { value: OTHER_URL, shows: /https:\/\/b\.example\.com/ },
  '--min-ttl': { value: '2h', shows: /min-ttl/ },
};
const TOKEN: Rows = {
  ...naming((client) => `token-of-${idOf(client)}`),
  ...REQUEST,
  '--no-cache': { shows: /^posts /m },
  '--fresh': { shows: /^posts /m },
};
/** Each command's line, in which the flags replace FLAGS, and its rows. */
const TABLE: Readonly<Record<string, readonly [line: string, rows: Rows]>> = {
  get: [
    'get FLAGS',
    {
      ...TOKEN,
      '--output': { value: 'OUT', shows: /^cached out$/m },
      '--format': { value: 'json', shows: /"access_token"/ },
      '--json': { shows: /"access_token"/ },
    },
  ],
  env: [
    'env FLAGS',
    {
      ...TOKEN,
      '--format': { value: 'json', shows: /"GWTOKEN_ACCESS_TOKEN"/ },
      '--prefix': { value: 'EU_', shows: /^EU_ACCESS_TOKEN/m },
      '--variable': { value: 'API_TOKEN', shows: /^API_TOKEN=/m },
      '--output': { value: 'OUT', shows: /^cached out$/m },
      '--unset': { shows: /^unset GWTOKEN_ACCESS_TOKEN/m },
    },
  ],
  exec: [
    'exec FLAGS -- program',
    {
      ...TOKEN,
      '--prefix': { value: 'EU_', shows: /EU_ACCESS_TOKEN/ },
      '--variable': { value: 'API_TOKEN', shows: /"API_TOKEN"/ },
      '--token-file': { value: 'OUT', shows: /GWTOKEN_TOKEN_FILE/ },
    },
  ],
  curl: ['curl FLAGS https://gateway.example.com', TOKEN],
  login: [
    'login --secret-stdin --client-id mine --region us FLAGS',
    {
      ...naming((client) => `^stored ${client.replace('eu', 'us')} mine`),
      '--region': { value: 'eu', shows: /^stored default:production:eu mine/m },
      ...REQUEST,
      '--secret-stdin': {
        line: 'login --client-id mine --region us FLAGS',
        shows: /^stored default:production:us mine/m,
      },
      '--client-id': { value: 'yours', shows: /^stored default:production:us yours/m },
      '--no-verify': { shows: /^(?!.*posts )/s },
    },
  ],
  logout: [
    'logout --yes FLAGS',
    {
      ...naming((client) => `^Removed ${client}`),
      '--all': { shows: /^Removed default:production:us$/m },
      '--yes': { line: 'logout --all FLAGS', shows: /^Removed /m },
    },
  ],
  status: [
    'status FLAGS',
    {
      ...naming((client) => `^\\* ${client}`),
      '--json': { shows: /"clients":/ },
    },
  ],
  doctor: [
    'doctor FLAGS',
    {
      ...naming((client) => `settings +${client}`),
      ...REQUEST,
      '--json': { shows: /"checks":/ },
    },
  ],
  'config list': ['config list FLAGS', { '--profile': { value: 'acme', shows: /^(?!.*region = eu)/s } }],
  'config get': ['config get timeout FLAGS', { '--profile': { value: 'acme', shows: /^7s$/m } }],
  'config set': [
    'config set retries 1 FLAGS',
    { '--profile': { value: 'acme', shows: /"acme":\{[^}]*retries/ } },
  ],
  'config unset': ['config unset timeout FLAGS', { '--profile': { value: 'acme', shows: /^(?!.*7s)/s } }],
  'config path': ['config path FLAGS', {}],
  'completion bash': ['completion bash FLAGS', {}],
  'completion zsh': ['completion zsh FLAGS', {}],
  'completion fish': ['completion fish FLAGS', {}],
  'completion powershell': ['completion powershell FLAGS', {}],
  help: ['help ci FLAGS', {}],
};

/** Runs a line. Resolves with its output, requests and programs, and with the stored files and items. */
async function outcome(line: string, { env = {}, status = 200 }: Row): Promise<string> {
  const gw = inside();
  const done: string[] = [];
  gw.configure(CONFIG);
  const stored = CLIENTS.map((name) => [name, { client_id: idOf(name), auth_url: AUTH_URL }] as const);
  writeFileSync(join(gw.config, 'clients.json'), JSON.stringify(Object.fromEntries(stored)), { mode: 0o600 });
  for (const [name, item] of stored) gw.items.set(name, JSON.stringify({ ...item, client_secret: 'secret' }));
  gw.own = {
    sleep: async () => {},
    terminal: { ...PLAIN, promptProblem: () => 'a test' } as never,
    async runProgram(command, args, { env: variables, text }) {
      done.push(`runs ${[command, ...args].join(' ')} with ${JSON.stringify(variables)} ${text?.content}`);
      return { code: 0, signal: null };
    },
    async postForm(url, { body, timeoutMs, caFile }) {
      const id = new URLSearchParams(body).get('client_id');
      done.push(`posts ${id} to ${url} within ${timeoutMs} ms, CA file ${caFile}`);
      return jsonReply(status, status === 200 ? tokenReply(`token-of-${id}`).body : {});
    },
  };
  const clientId = idOf('default:production:eu');
  const cachedToken = { clientId, accessToken: `token-of-${clientId}`, requestedAtMs: gw.nowMs };
  const entry = { clientId, authUrl: AUTH_URL, loginId: '' };
  putToken(gw.cache, AUTH_URL, cachedToken, { 'default:production:eu': entry });
  gw.env = { ...env };
  gw.stdin = 'a secret';
  const words = line.replace('OUT', join(gw.cache, 'out')).split(' ');
  const { stdout, stderr } = await gw.cli(words.filter((word) => word !== ''));
  const items = [...gw.items].map(([name, item]) => `stored ${name} ${JSON.parse(item).client_id}`);
  const cached = readdirSync(gw.cache).map((file) => `cached ${file}`);
  const config = readFileSync(join(gw.config, 'config.json'), 'utf8').replace(/\s/g, '');
  return [stderr + stdout, ...done, ...items, ...cached, config].join('\n');
}

const commands = allCommands(COMMANDS).filter(({ command }) => !command.subcommands);
const lines = commands.flatMap(({ path, command }) =>
  command.flags.map((flag) => [path.join(' '), longForm(flag)] as const),
);

test('each command has a row in this file', () => {
  expect(Object.keys(TABLE)).toEqual(commands.map(({ path }) => path.join(' ')));
});

/** Caches the outcome of each line without a flag, which many rows share. */
const plain = new Map<string, Promise<string>>();

test.each(lines)('%s %s has an effect', async (command, flag) => {
  const [usual, rows] = TABLE[command] ?? ['', {}];
  const row = rows[flag];
  if (row === undefined) throw new Error(`no row says what ${flag} does`);
  const { line = usual } = row;
  const words = row.value === undefined ? flag : `${flag} ${row.value}`;
  expect(await outcome(line.replace('FLAGS', words), row)).toMatch(row.shows);
  const key = JSON.stringify([line, row.env, row.status]);
  plain.set(key, plain.get(key) ?? outcome(line.replace('FLAGS', ''), row));
  expect(await plain.get(key)).not.toMatch(row.shows);
});

test.each(Object.entries(TABLE))('%s --verbose begins with the version', async (_, [line]) => {
  expect(await outcome(line.replace('FLAGS', '--verbose'), { shows: /./ })).toMatch(/^gwtoken: version /);
});
