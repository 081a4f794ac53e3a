/** A job of GitHub's runner with the action in it: the packed package, a registry that has it, an identity server a region. */

import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import {
  type IdentityClient,
  type IdentityServer,
  startIdentityServer,
} from '../harness/endpoints/identity-server';
import { openHome } from '../harness/homes/home';
import { pack } from '../harness/programs/npm';
import { inherited } from '../harness/programs/program';
import { ROOT } from '../harness/root';
import { type ActionRun, runAction } from './composite-action';
import { type Registry, startRegistry } from './registry';

export { ROOT };
export const ACTION = join(ROOT, '.github', 'actions', 'gwtoken', 'action.yml');
export const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  version: string;
};

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
}

export async function startServers(): Promise<Servers> {
  const folder = join(openHome().dir, 'packed');
  mkdirSync(folder);
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
  };
}

export interface Job {
  readonly env: Record<string, string>;
  readonly temp: string;
  readonly workspace: string;
  run(inputs: Readonly<Record<string, string>>): Promise<ActionRun>;
}

/** A job on a machine with an empty home. */
export function openJob(registry: Registry): Job {
  const home = openHome();
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
  return { env, temp, workspace, run };
}
