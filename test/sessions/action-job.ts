/** A job of GitHub's runner with the action in it, and an identity server a region. */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  type IdentityClient,
  type IdentityServer,
  startIdentityServer,
} from '../harness/endpoints/identity-server';
import { openFolder } from '../harness/homes/folder';
import { keptNode } from '../harness/programs/node-versions.mjs';
import { ROOT } from '../harness/root';
import { type ActionRun, runAction } from './action-runner';

export const ACTION = join(ROOT, '.github', 'actions', 'gwtoken', 'action.yml');
/** The Node that the runner brings along, if `npm run test:setup` has fetched it. */
export const NODE = keptNode(24) ?? process.execPath;

export type Region = 'eu' | 'us';
/** A client by its name: `eu`, `us-sandbox`. */
export const client = (name: string): IdentityClient => ({
  clientId: `${name}-client`,
  clientSecret: `${name}'s $(secret) "%`,
});

export interface Servers {
  readonly identity: Readonly<Record<Region, IdentityServer>>;
  /** The inputs that name a client of a region. */
  inputsFor(region: Region, name?: string): Record<string, string>;
}

export async function startServers(): Promise<Servers> {
  const start = (region: Region): Promise<IdentityServer> =>
    startIdentityServer({
      region,
      clients: [client(region), client(`${region}-sandbox`)],
      scope: `read ${region}`,
    });
  const identity = { eu: await start('eu'), us: await start('us') };
  return {
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
  /** All that it has in its environment but what the runner gives a step: no PATH, no HOME. */
  readonly env: Record<string, string>;
  readonly dir: string;
  run(inputs: Readonly<Record<string, string>>, node?: string): Promise<ActionRun>;
}

export function openJob(): Job {
  const dir = openFolder();
  const temp = join(dir, 'temp');
  mkdirSync(temp);
  const env: Record<string, string> = { PATH: '' };
  // Windows starts no socket without it.
  if (process.env['SystemRoot'] !== undefined) env['SystemRoot'] = process.env['SystemRoot'];
  return { env, dir, run: (inputs, node = NODE) => runAction(ACTION, inputs, { node, env, temp }) };
}
