import { shellWord } from '../../text';
import type { FolderFacts } from '../../world/probes';
import type { World } from '../../world/world';
import { type Check, section } from './check';

const { ok, warning, failed } = section('folders');

/** The folders with their modes. Without a usable cache tokens are not shared; everything else works. */
export async function folderChecks({ probes }: Pick<World, 'probes'>): Promise<Check[]> {
  return [configFolder(await probes.folder('config')), cacheFolder(await probes.folder('cache'))];
}

function configFolder(folder: FolderFacts): Check {
  const { path, untrusted } = folder;
  if (path === undefined) {
    return failed('usage', 'config', 'there is no home folder', `set ${folder.variables.join(', or ')}`);
  }
  if (untrusted) {
    const asAnother = 'run gwtoken as that user, or set GWTOKEN_CONFIG_DIR';
    const fix = untrusted.why === 'open' ? `run: chmod go-w ${shellWord(path)}` : asAnother;
    return warning('config', `${path} ${untrusted.text}`, fix);
  }
  if (!folder.writable) {
    const hint = 'login and config set need it: set GWTOKEN_CONFIG_DIR to a folder that you can write to';
    return warning('config', `${path} cannot be written`, hint);
  }
  return ok('config', described(folder));
}

function cacheFolder(folder: FolderFacts): Check {
  const { path, untrusted } = folder;
  const hint = 'set GWTOKEN_CACHE_DIR to a folder of your own, or no token is kept between calls';
  if (path === undefined) return warning('cache', 'there is no home folder', hint);
  if (untrusted) {
    const fix = untrusted.why === 'open' ? `run: chmod 700 ${shellWord(path)}` : hint;
    return warning('cache', `${path} ${untrusted.text}: it is not used`, fix);
  }
  return folder.writable
    ? ok('cache', described(folder))
    : warning('cache', `${path} cannot be written`, hint);
}

function described({ path, exists, mode }: FolderFacts): string {
  if (!exists) return `${path} (made when it is needed)`;
  return mode === undefined ? String(path) : `${path} (mode ${mode.toString(8)})`;
}
