import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { cleanUp, onCleanup } from '../../harness/clean-up';
import {
  type IdentityClient,
  type IdentityServer,
  startIdentityServer,
} from '../../harness/endpoints/identity-server';
import { openFolder } from '../../harness/homes/folder';
import { startKeyring } from '../../harness/keyrings/keyring';
import { missing } from '../../harness/needs';
import { GWTOKEN, linkProgram } from '../../harness/programs/program';

export interface RegionOnStage {
  readonly identity: IdentityServer;
  readonly production: IdentityClient;
  readonly sandbox: IdentityClient;
}

/** Everything that the demo needs, without a trace on the user's machine. */
export interface Stage {
  readonly eu: RegionOnStage;
  readonly us: RegionOnStage;
  /** A random name, so that no item of the user is touched in a real keychain. */
  readonly profile: string;
  readonly keychain: {
    /** `private`: the demo's own keyring. `real`: the user's. `none`: there is none to use. */
    readonly kind: 'private' | 'real' | 'none';
    /** Shown in the transcript. */
    readonly why: string;
  };
  /** The session's environment: `gwtoken` on PATH, and its own directories for everything that gwtoken writes. */
  readonly env: Readonly<Record<string, string>>;
  /** Removes all of it, whatever happened before; once, however often it is called. Rejects if something is left. */
  strike(): Promise<void>;
}

/** Starts the servers and, if possible, a keyring; creates the directories. */
export async function setStage(): Promise<Stage> {
  const dir = openFolder();
  const profile = `demo-${randomBytes(4).toString('hex')}`;
  let struck: Promise<void> | undefined;
  const strike = (): Promise<void> => {
    struck ??= cleanUp().then(() => {
      if (existsSync(dir)) throw new Error(`${dir} was not removed`);
    });
    return struck;
  };

  try {
    const [eu, us] = await Promise.all([openRegion('eu'), openRegion('us')]);
    const keychain = keychainHere();
    let env = environment(dir);
    if (keychain.kind === 'private') env = { ...(await startKeyring({ state: 'unlocked' })).env, ...env };
    if (keychain.kind === 'real') onCleanup(() => removeItems(profile, env));
    return { eu, us, profile, keychain, env, strike };
  } catch (error) {
    await strike().catch(() => {});
    throw error;
  }
}

async function openRegion(region: 'eu' | 'us'): Promise<RegionOnStage> {
  const client = (clientId: string): IdentityClient => ({
    clientId,
    clientSecret: randomBytes(18).toString('base64url'),
  });
  const production = client(`${region}-client`);
  const sandbox = client(`${region}-sandbox-client`);
  return {
    production,
    sandbox,
    identity: await startIdentityServer({ region, clients: [production, sandbox] }),
  };
}

function keychainHere(): Stage['keychain'] {
  if (process.platform !== 'linux') {
    return {
      kind: 'real',
      why: "The demo uses this machine's keychain, and deletes what it stores there.",
    };
  }
  const reason = missing('keyring');
  if (reason === undefined) {
    return {
      kind: 'private',
      why: 'The demo uses a private gnome-keyring; yours is not touched.',
    };
  }
  return {
    kind: 'none',
    why: `No keychain for the demo here (${reason}), so the credentials come from environment variables.`,
  };
}

function environment(dir: string): Record<string, string> {
  const bin = join(dir, 'bin');
  mkdirSync(bin);
  linkProgram(bin);
  const path = [bin, dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter);
  const folders = { GWTOKEN_CONFIG_DIR: join(dir, 'config'), GWTOKEN_CACHE_DIR: join(dir, 'cache') };
  if (process.platform === 'linux') return { HOME: dir, PATH: path, ...folders };
  // macOS finds the keychain by HOME, and PowerShell needs much of what Windows sets.
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(path|ci|force_color|(gwtoken|github|node|npm|tsx|xdg)_.*)$/i.test(name),
  );
  return { ...(Object.fromEntries(kept) as Record<string, string>), PATH: path, ...folders };
}

/** Deletes from a real keychain exactly the items that the demo may have created, even if it did not get far. */
function removeItems(profile: string, env: Readonly<Record<string, string>>): void {
  const left: string[] = [];
  for (const client of [['eu'], ['us'], ['eu', '--sandbox']]) {
    const [command, ...words] = GWTOKEN;
    const args = [...words, 'logout', '--profile', profile, '--region', ...client];
    const { status } = spawnSync(command, args, { env, stdio: 'ignore', timeout: 60_000 });
    // 4: there was none; 5: nothing was stored in a keychain that does not work.
    if (status !== 0 && status !== 4 && status !== 5) left.push(client.join(' '));
  }
  if (left.length > 0) {
    throw new Error(`keychain items may be left (service gwtoken, account ${profile}:…): ${left.join(', ')}`);
  }
}
