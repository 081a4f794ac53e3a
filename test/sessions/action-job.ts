/** A job of GitHub's runner with the action in it: the packed package, a registry that has it, an identity server a region. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import {
  type IdentityClient,
  type IdentityServer,
  startIdentityServer,
} from '../harness/endpoints/identity-server';
import { freshHome, type Home, inherited } from '../harness/programs/program';
import { ROOT } from '../harness/root';
import { type ActionRun, runAction } from './composite-action';
import { type Registry, startRegistry } from './registry';

export { ROOT };
export const ACTION = join(ROOT, '.github', 'actions', 'gwtoken', 'action.yml');
export const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  version: string;
};
const WINDOWS = process.platform === 'win32';

export type Region = 'eu' | 'us';
/** A client by its name: `eu`, `us-sandbox`. */
export const client = (name: string): IdentityClient => ({
  clientId: `${name}-client`,
  clientSecret: `${name}'s $(secret) "%`,
});

export interface Servers {
  readonly tarball: string;
  readonly registry: Registry;
  readonly identity: Readonly<Record<Region, IdentityServer>>;
  /** The inputs that name a client of a region. */
  inputsFor(region: Region, name?: string): Record<string, string>;
  close(): Promise<void>;
}

export async function startServers(): Promise<Servers> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'gwtoken-action-')));
  pack(folder);
  const tarball = join(folder, readdirSync(folder)[0]!);
  const registry = await startRegistry(tarball, JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));
  const start = (region: Region): Promise<IdentityServer> =>
    startIdentityServer({
      region,
      clients: [client(region), client(`${region}-sandbox`)],
      scope: `read ${region}`,
    });
  const identity = { eu: await start('eu'), us: await start('us') };
  return {
    tarball,
    registry,
    identity,
    inputsFor: (region, name = region) => ({
      region,
      'auth-url': identity[region].authUrl,
      'client-id': client(name).clientId,
      'client-secret': client(name).clientSecret,
    }),
    async close() {
      await Promise.all([registry.close(), identity.eu.close(), identity.us.close()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What prepare.mjs has built is packed: another build now would take dist/ away from the other tests. */
function pack(folder: string): void {
  const npm = process.env['npm_execpath'] ?? '';
  const args = ['pack', '--ignore-scripts', '--pack-destination', folder];
  const options = { cwd: ROOT, stdio: 'pipe', timeout: 120_000 } as const;
  if (basename(npm) === 'npm-cli.js') execFileSync(process.execPath, [npm, ...args], options);
  else execFileSync(WINDOWS ? 'npm.cmd' : 'npm', args, { ...options, shell: WINDOWS });
}

export interface Job {
  readonly env: Record<string, string>;
  readonly temp: string;
  readonly workspace: string;
  run(inputs: Readonly<Record<string, string>>): Promise<ActionRun>;
  remove(): void;
}

/** A job on a machine with an empty home. */
export function openJob(registry: Registry): Job {
  const home: Home = freshHome();
  const [workspace = '', temp = ''] = ['workspace', 'temp'].map((name) => join(home.dir, name));
  for (const path of [workspace, temp]) mkdirSync(path);
  const env: Record<string, string> = {
    ...inherited(),
    ...home.env,
    PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
    GITHUB_WORKSPACE: workspace,
    npm_config_registry: registry.url,
  };
  const run = (inputs: Readonly<Record<string, string>>) => runAction(ACTION, inputs, { env, temp });
  return { env, temp, workspace, run, remove: home.remove };
}
