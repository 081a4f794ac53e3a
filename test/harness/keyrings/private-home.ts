import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

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
