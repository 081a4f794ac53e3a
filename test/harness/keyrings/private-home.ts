import { accessSync, constants, mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** HOME and XDG_* below a folder. */
export function privateHome(dir: string) {
  const home = {
    HOME: join(dir, 'home'),
    XDG_CONFIG_HOME: join(dir, 'config'),
    XDG_CACHE_HOME: join(dir, 'cache'),
    XDG_DATA_HOME: join(dir, 'data'),
    XDG_RUNTIME_DIR: join(dir, 'run'),
  };
  for (const folder of [home.HOME, home.XDG_RUNTIME_DIR]) mkdirSync(folder, { mode: 0o700 });
  return home;
}

/** Why a keyring of these programs, each with Debian's package, cannot be started; undefined when it can. */
export function programsAvailable(needed: Readonly<Record<string, string>>): string | undefined {
  if (process.platform !== 'linux') return 'needs Linux: a keyring of its own';
  const missing = Object.entries(needed).filter(([program]) => onPath(program) === undefined);
  return missing.length === 0 ? undefined : `needs Debian: ${missing.map(([, name]) => name).join(' ')}`;
}

export function onPath(program: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
