import type { FolderFacts } from '../../world/probes';
import type { World } from '../../world/world';
import { type Check, section } from './check';

const { ok, warning, failed } = section('folders');

/** The folders with their modes. A cache that cannot be used costs the sharing of tokens and nothing else. */
export async function folderChecks({ probes }: Pick<World, 'probes'>): Promise<Check[]> {
  return [configFolder(await probes.folder('config')), cacheFolder(await probes.folder('cache'))];
}

function configFolder(folder: FolderFacts): Check {
  const { path, foreignUid } = folder;
  if (path === undefined) {
    return failed('usage', 'config', 'there is no home folder', 'set HOME, or GWTOKEN_CONFIG_DIR');
  }
  if (foreignUid !== undefined) {
    const message = `${path} belongs to another user (uid ${foreignUid})`;
    return warning('config', message, 'run gwtoken as that user, or set GWTOKEN_CONFIG_DIR');
  }
  if (isOpen(folder)) {
    return warning(
      'config',
      `${path} can be written by others (${modeOf(folder)})`,
      `run: chmod go-w '${path}'`,
    );
  }
  if (!folder.writable) {
    const hint = 'login and config set need it: set GWTOKEN_CONFIG_DIR to a folder that you can write to';
    return warning('config', `${path} cannot be written`, hint);
  }
  return ok('config', described(folder));
}

function cacheFolder(folder: FolderFacts): Check {
  const { path, foreignUid } = folder;
  const hint = 'set GWTOKEN_CACHE_DIR to a folder of your own, or no token is kept between calls';
  if (path === undefined) return warning('cache', 'there is no home folder', hint);
  if (foreignUid !== undefined) {
    return warning('cache', `${path} belongs to another user (uid ${foreignUid}): it is not used`, hint);
  }
  if (folder.symlink) return warning('cache', `${path} is a symbolic link: it is not used`, hint);
  if (isOpen(folder)) {
    const message = `${path} can be written by others (${modeOf(folder)}): it is not used`;
    return warning('cache', message, `run: chmod 700 '${path}'`);
  }
  return folder.writable
    ? ok('cache', described(folder))
    : warning('cache', `${path} cannot be written`, hint);
}

function isOpen({ mode }: FolderFacts): boolean {
  return mode !== undefined && (mode & 0o022) !== 0;
}

function described(folder: FolderFacts): string {
  if (!folder.exists) return `${folder.path} (made when it is needed)`;
  return folder.mode === undefined ? String(folder.path) : `${folder.path} (${modeOf(folder)})`;
}

function modeOf({ mode = 0 }: FolderFacts): string {
  return `mode ${mode.toString(8)}`;
}
