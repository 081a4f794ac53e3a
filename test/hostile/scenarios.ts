/**
 * Runs of gwtoken for tests that inject faults. Afterwards gwtoken must work and lose nothing: that is looked at in
 * this process, with the files and the item that the run has left.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startTokenEndpoint, tokenReply } from '../harness/endpoints/token-endpoint';
import { putToken } from '../harness/homes/client';
import { filesBelow } from '../harness/homes/files';
import { inside } from '../harness/homes/in-process';
import { startKeyring } from '../harness/keyrings/keyring';
import {
  type ProgramOptions,
  type ProgramResult,
  type RunningProgram,
  startProgram,
} from '../harness/programs/program';

export type Command = 'get' | 'config set' | 'login' | 'logout';

/** A command of gwtoken with its state before, and the checks of its end. */
export interface Scenario {
  /** Path of the file for strace's trace. */
  readonly trace: string;
  /** Restores the state before the run. */
  prepare(): Promise<void>;
  start(more?: Partial<ProgramOptions>): RunningProgram;
  /** Describes work that a run left undone although it exited with 0; undefined if it did all. */
  undone(result: ProgramResult): Promise<string | undefined>;
  /** Describes what no longer works, or was lost, after a run with any end; undefined if nothing. */
  broken(): Promise<string | undefined>;
}

const ACCOUNT = 'default:production:eu';
const TOKEN = 'Session-Token';
const SECRET = 'Session-Secret';

/** Opens the scenario of a command, with a home and a keyring. */
export async function openScenario(command: Command): Promise<Scenario> {
  const endpoint = await startTokenEndpoint(() => tokenReply(TOKEN));
  const keyring = await startKeyring({ state: 'unlocked' });
  const gw = inside();
  gw.answer = () => tokenReply(TOKEN);
  const tmp = join(gw.dir, 'tmp');
  const env = { ...keyring.env, ...gw.home, TMPDIR: tmp };
  const variables = { GWTOKEN_CLIENT_ID: 'client', GWTOKEN_CLIENT_SECRET: SECRET };
  const item = (clientId: string) =>
    JSON.stringify({ client_id: clientId, client_secret: SECRET, auth_url: endpoint.authUrl });
  const config = { region: 'eu', 'auth-url.eu': endpoint.authUrl, 'min-ttl': '1m' };

  async function prepare(): Promise<void> {
    for (const directory of [gw.config, gw.cache, tmp]) rmSync(directory, { recursive: true, force: true });
    mkdirSync(tmp, { mode: 0o700 });
    gw.configure(config);
  }
  async function prepareStored(): Promise<void> {
    await prepare();
    await keyring.store(ACCOUNT, item('old'));
    const known = { [ACCOUNT]: { client_id: 'old', auth_url: endpoint.authUrl } };
    writeFileSync(join(gw.config, 'clients.json'), JSON.stringify(known), { mode: 0o600 });
    const stored = { [ACCOUNT]: { clientId: 'old', authUrl: endpoint.authUrl, loginId: '' } };
    putToken(gw.cache, endpoint.authUrl, { clientId: 'old', accessToken: 'old-token' }, stored);
  }
  /** Gives the runs in this process the item that is left in the keyring. Resolves with the item. */
  async function takeItem(): Promise<string | undefined> {
    const stored = await keyring.lookup(ACCOUNT);
    if (stored === undefined) gw.items.clear();
    else gw.items.set(ACCOUNT, stored);
    return stored;
  }
  /** Runs gwtoken in this process. */
  const run = (args: readonly string[], own: Readonly<Record<string, string>> = {}) => {
    gw.env = { ...keyring.env, ...gw.home, ...own };
    gw.nowMs = Date.now();
    return gw.cli(args);
  };
  const start =
    (args: readonly string[], own: Partial<ProgramOptions> = {}) =>
    (more: Partial<ProgramOptions> = {}) =>
      startProgram(args, { cwd: gw.dir, ...own, ...more, env: { ...env, ...own.env, ...more.env } });

  /** Describes the damage if get fails, the config has changed, or a file was left behind. */
  async function damage(own: Readonly<Record<string, string>> = {}): Promise<string | undefined> {
    const get = await run(['get', '--fresh'], own);
    if (get.code !== 0 || get.stdout !== `${TOKEN}\n` || get.stderr !== '')
      return `afterwards get ends with ${get.code}: ${get.stdout}${get.stderr}`;
    const set = await run(['config', 'set', 'region', 'eu']);
    if (set.code !== 0) return `afterwards config set ends with ${set.code}: ${set.stderr}`;
    const stored = JSON.parse(readFileSync(join(gw.config, 'config.json'), 'utf8'));
    for (const [key, value] of Object.entries(config))
      if (stored[key] !== value) return `${key} is lost from the config`;
    const left = [...filesBelow(gw.dir).keys()].filter((path) => !KEPT.test(path));
    return left.length > 0 ? `left behind: ${left.join(' ')}` : undefined;
  }

  const login = ['login', '--client-id', 'new', '--secret-stdin'];
  const scenarios: Readonly<Record<Command, Omit<Scenario, 'trace'>>> = {
    get: {
      prepare,
      start: start(['get'], { env: variables }),
      undone: async ({ stdout }) => (stdout === `${TOKEN}\n` ? undefined : `printed ${stdout}`),
      broken: () => damage(variables),
    },
    'config set': {
      prepare,
      start: start(['config', 'set', 'region', 'us']),
      undone: async () =>
        JSON.parse(readFileSync(join(gw.config, 'config.json'), 'utf8')).region === 'us'
          ? undefined
          : 'the region is not set',
      broken: () => damage({ ...variables, GWTOKEN_REGION: 'eu' }),
    },
    login: {
      prepare: prepareStored,
      start: start(login, { stdin: SECRET }),
      undone: async () =>
        (await keyring.lookup(ACCOUNT)) === item('new') ? undefined : 'the client is not stored',
      async broken() {
        const stored = await takeItem();
        if (stored !== item('new') && stored !== item('old')) return 'the item is lost';
        return await damage();
      },
    },
    logout: {
      prepare: prepareStored,
      start: start(['logout', '--yes']),
      async undone() {
        if ((await takeItem()) !== undefined) return 'the item is still there';
        const { code, stdout } = await run(['get']);
        return code === 4 ? undefined : `afterwards get ends with ${code}: ${stdout}`;
      },
      async broken() {
        await takeItem();
        const again = await run(['logout', '--yes']);
        if (again.code !== 0 && again.code !== 4) return `logout again: ${again.code} ${again.stderr}`;
        if (gw.items.has(ACCOUNT)) return 'the item is still there';
        const get = await run(['get']);
        if (get.code !== 4) return `after logout get ends with ${get.code}: ${get.stdout}${get.stderr}`;
        return await damage(variables);
      },
    },
  };
  return { ...scenarios[command], trace: join(gw.dir, 'trace') };
}

/** gwtoken's own files. A killed login or logout leaves its lock, which the next one removes. */
const OWN_FILES = [
  /(config|clients)\.json/,
  /default-production-eu\.[0-9a-f]{8}\.(lock|(token|failure)\.json)/,
];
/** The end of a file that a killed run was writing. */
const UNFINISHED = /((\.\w+)?\.tmp|\.tmp-\w+)/;
/** Matches files that may exist: gwtoken's own, finished or not, and strace's trace. */
const KEPT = new RegExp(
  `/(${OWN_FILES.map(({ source }) => source).join('|')})${UNFINISHED.source}?$|^trace$`,
);

/** Describes what is wrong with the end of a run that met a fault; undefined if the end is acceptable. */
export function misbehaviour(
  { code, signal, stdout, stderr }: ProgramResult,
  allowed?: NodeJS.Signals,
): string | undefined {
  const output = `${stdout}${stderr}`;
  if (output.includes(SECRET)) return `the secret is shown: ${output}`;
  if (/^\s+at |a bug in gwtoken|node:internal/m.test(stderr)) return `a stack trace: ${stderr}`;
  if (signal !== null) return signal === allowed ? undefined : `ended by ${signal}: ${stderr}`;
  if (code === 0) return /^gwtoken: error:/m.test(stderr) ? `ended with 0 and says: ${stderr}` : undefined;
  const codes = [1, 2, 3, 4, 5, 6, 7, 125, 126];
  if (!codes.includes(code ?? -1)) return `ended with ${code}`;
  if (/^gwtoken: error: [^\n]+\n(hint: [^\n]+\n)*$/m.test(stderr)) return undefined;
  return `ended with ${code} and says: ${stderr}`;
}
