import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { inVariables, keychainEntry, putEntry, withoutVariables } from '../../harness/homes/client';
import type { Home } from '../../harness/homes/home';
import { inherited, type Words } from '../../harness/programs/program';
import { run, type Timed } from './measure';

/** What a path is timed with. */
export interface Place {
  readonly home: Home;
  readonly authUrl: string;
  readonly caFile: string;
  /** HOME and the bus of a private keyring that holds the client; undefined where none can be started. */
  readonly keyring: Readonly<Record<string, string>> | undefined;
}

export const CLIENT = { clientId: 'bench-client', clientSecret: 'bench-secret' };
const TOKEN = /^[!-~]{1200}\n$/;

/** The paths that are told of, for a form of the program as the words that start it; `mark` ends their names. */
export function paths([command, ...before]: Words, place: Place, mark = ''): Timed[] {
  const { home, authUrl, caFile, keyring } = place;
  const variables = inVariables(authUrl, CLIENT);
  const base = { ...inherited(), ...home.env, ...withoutVariables(variables), GWTOKEN_CA_FILE: caFile };
  const program = (name: string, args: readonly string[], env: Record<string, string>): Timed => ({
    name: `${name}${mark}`,
    command,
    args: [...before, ...args],
    env,
  });
  const ownCache = (name: string): { folder: string; env: { XDG_CACHE_HOME: string } } => {
    const folder = join(home.dir, `cache-${name}`);
    return { folder: join(folder, 'gwtoken'), env: { XDG_CACHE_HOME: folder } };
  };

  const stored = ownCache('stored');
  const accessToken = 'stored-token'.padEnd(1200, '.');
  const entry = { clientId: CLIENT.clientId, accessToken, lifetimeS: 24 * 3600 };
  putEntry(stored.folder, keychainEntry(authUrl, entry));
  const given = ownCache('given');
  const cold = ownCache('cold');
  const empty = () => rmSync(cold.folder, { recursive: true, force: true });

  const warmStored = {
    ...program('warm `get`, client in the keychain', ['get'], { ...base, ...stored.env }),
    expected: TOKEN,
  };
  const warmGiven = {
    ...program('warm `get`, client in variables', ['get'], { ...base, ...variables, ...given.env }),
    expected: TOKEN,
  };
  const coldGiven = {
    ...program('cold `get`, client in variables', ['get'], { ...base, ...variables, ...cold.env }),
    expected: TOKEN,
    prepare: empty,
  };
  // Puts the token there that the warm runs find.
  run(warmGiven);
  const env = {
    ...program('warm `env`, client in the keychain', ['env'], { ...base, ...stored.env }),
    expected: /GWTOKEN_ACCESS_TOKEN/,
  };
  const all: Timed[] = [warmStored, warmGiven, env, coldGiven];
  if (keyring) {
    const bus = { ...base, ...keyring, ...cold.env };
    all.push({
      ...program('cold `get`, client in the keychain', ['get'], bus),
      expected: TOKEN,
      prepare: empty,
    });
  }
  all.push({ ...program('`--help`', ['--help'], base), expected: /gwtoken/ });
  return all;
}
