import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onCleanup } from '../clean-up';

/** Makes a temporary directory, which the end of the test removes. */
export function openDirectory(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'gwtoken-test-')));
  onCleanup(() => rmSync(dir, { recursive: true, force: true, maxRetries: 3 }));
  return dir;
}

/** The directories of one gwtoken. */
export interface HomeDirectories {
  readonly dir: string;
  /** HOME and the XDG directories, which are not made, on top of what was given. */
  readonly env: Record<string, string>;
  /** The directories of the config file and of the token cache; neither is made. */
  readonly config: string;
  readonly cache: string;
  /** Writes the config file, given as a text or as an object. */
  configure(values: object | string): void;
}

/** Makes the directories of one gwtoken, which the end of the test removes. */
export function openDirectories(env: Readonly<Record<string, string>> = {}): HomeDirectories {
  const dir = openDirectory();
  const own = {
    HOME: join(dir, 'home'),
    XDG_CONFIG_HOME: join(dir, 'config'),
    XDG_CACHE_HOME: join(dir, 'cache'),
  };
  mkdirSync(own.HOME, { mode: 0o700 });
  const config = join(own.XDG_CONFIG_HOME, 'gwtoken');
  return {
    dir,
    env: { ...env, ...own },
    config,
    cache: join(own.XDG_CACHE_HOME, 'gwtoken'),
    configure(values) {
      mkdirSync(config, { recursive: true, mode: 0o700 });
      const text = typeof values === 'string' ? values : JSON.stringify(values);
      writeFileSync(join(config, 'config.json'), text, { mode: 0o600 });
    },
  };
}
