import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { cleanUp, onCleanup } from '../harness/clean-up';
import {
  type IdentityClient,
  type IdentityServer,
  startIdentityServer,
} from '../harness/endpoints/identity-server';
import { openFolder } from '../harness/homes/folder';
import { keyringAvailable, startKeyring } from '../harness/keyrings/keyring';
import { GWTOKEN, linkProgram } from '../harness/programs/program';

export interface RegionOnStage {
  readonly identity: IdentityServer;
  readonly production: IdentityClient;
  readonly sandbox: IdentityClient;
}

/** All that the demo needs and a person's machine must not notice. */
export interface Stage {
  readonly eu: RegionOnStage;
  readonly us: RegionOnStage;
  /** A random name, so that no item of the person's own is met in a real keychain. */
  readonly profile: string;
  readonly keychain: {
    /** `private`: a keyring of the demo's own. `real`: the person's. `none`: there is none to use. */
    readonly kind: 'private' | 'real' | 'none';
    /** Said in the transcript. */
    readonly why: string;
  };
  /** The session's environment: `gwtoken` on PATH, and folders of its own for everything that gwtoken writes. */
  readonly env: Readonly<Record<string, string>>;
  /** Removes all of it, whatever happened before; once, however often it is called. Rejects when something is left. */
  strike(): Promise<void>;
}

/** Starts the identity servers and, where it can, a keyring; makes the folders. */
export async function setStage(): Promise<Stage> {
  const dir = openFolder();
  const profile = `demo-${randomBytes(4).toString('hex')}`;
  let struck: Promise<void> | undefined;
  const strike = (): Promise<void> => {
    struck ??= cleanUp().then(() => {
      if (existsSync(dir)) throw new Error(`${dir} is left`);
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
      why: "The keychain is this machine's own; what the demo stores there it deletes.",
    };
  }
  const missing = keyringAvailable();
  if (missing === undefined) {
    return {
      kind: 'private',
      why: 'The keychain is a gnome-keyring on a session bus that only the demo sees.',
    };
  }
  return {
    kind: 'none',
    why: `There is no keychain for the demo here (${missing}), so the credentials are given in variables.`,
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

/** Deletes from a real keychain exactly the items that the demo may have made, also when it did not get far. */
function removeItems(profile: string, env: Readonly<Record<string, string>>): void {
  const left: string[] = [];
  for (const client of [['eu'], ['us'], ['eu', '--sandbox']]) {
    const [command, ...words] = GWTOKEN;
    const args = [...words, 'logout', '--profile', profile, '--region', ...client];
    const { status } = spawnSync(command, args, { env, stdio: 'ignore', timeout: 60_000 });
    // 4: there was none; 5: a keychain that does not work took none either.
    if (status !== 0 && status !== 4 && status !== 5) left.push(client.join(' '));
  }
  if (left.length > 0) {
    throw new Error(
      `keychain items of service gwtoken, account ${profile}:…, may be left: ${left.join(', ')}`,
    );
  }
}
