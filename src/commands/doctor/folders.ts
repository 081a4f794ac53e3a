import { shellWord } from '../../text';
import type { FolderFacts, World } from '../../world';
import { type Check, type Section, section } from './check';

const { ok, warning, failed } = section('directories');

/** The folders with their modes. Without a usable cache tokens are not shared; everything else works. */
export async function foldersSection({ probes }: Pick<World, 'probes'>): Promise<Section> {
  const folders = [await probes.folder('config'), await probes.folder('cache')] as const;
  return {
    title: 'directories',
    summary: folders.map(({ path }) => path).join(', '),
    checks: [configFolder(folders[0]), cacheFolder(folders[1])],
  };
}

function configFolder(folder: FolderFacts): Check {
  const { path, untrusted } = folder;
  if (path === undefined) {
    return failed('usage', 'config', 'no home directory', `set ${folder.variables.join(', or ')}`);
  }
  if (untrusted) {
    const asAnother = 'run gwtoken as that user, or set GWTOKEN_CONFIG_DIR';
    const fix = untrusted.why === 'open' ? `run: chmod go-w ${shellWord(untrusted.path ?? path)}` : asAnother;
    return warning('config', `${path} ${untrusted.text}`, fix);
  }
  if (!folder.writable) {
    const hint = 'login and config set need to write there; set GWTOKEN_CONFIG_DIR to a writable directory';
    return warning('config', `${path} is not writable`, hint);
  }
  return ok('config', described(folder));
}

function cacheFolder(folder: FolderFacts): Check {
  const { path, untrusted } = folder;
  const hint = 'tokens are not cached; set GWTOKEN_CACHE_DIR to a directory you own';
  if (path === undefined) return warning('cache', 'no home directory', hint);
  if (untrusted) {
    const fix = untrusted.why === 'open' ? `run: chmod 700 ${shellWord(path)}` : hint;
    return warning('cache', `${path} ${untrusted.text}; not used`, fix);
  }
  return folder.writable ? ok('cache', described(folder)) : warning('cache', `${path} is not writable`, hint);
}

function described({ path, exists, mode }: FolderFacts): string {
  if (!exists) return `${path} (will be created)`;
  return mode === undefined ? String(path) : `${path} (mode ${mode.toString(8)})`;
}
