/** Doctor's checks of the machine: directories, and variables for proxies, certificates and TLS. */
import { messageOf, systemCode } from '../../system-errors';
import { shellWord } from '../../text';
import type { FolderFacts, World } from '../../world';
import { strayVariables } from '../stray-variables';
import { type Check, check, type Section } from './check';

/** Checks the directories. Without a usable cache tokens are not shared; everything else works. */
export async function foldersSection({ probes }: Pick<World, 'probes'>): Promise<Section> {
  const [config, cache] = [await probes.folder('config'), await probes.folder('cache')];
  return {
    title: 'directories',
    summary: `${config.path}, ${cache.path}`,
    checks: [configFolder(config), cacheFolder(cache)],
  };
}

function configFolder(folder: FolderFacts): Check {
  const { path, untrusted } = folder;
  if (path === undefined)
    return check('warning', 'config', 'no home directory', `set ${folder.variables.join(', or ')}`);
  if (untrusted) {
    const asAnother = 'run gwtoken as that user, or set GWTOKEN_CONFIG_DIR';
    const fix = untrusted.why === 'open' ? `run: chmod go-w ${shellWord(untrusted.path ?? path)}` : asAnother;
    return check('warning', 'config', `${path} ${untrusted.text}`, fix);
  }
  if (folder.writable) return check('ok', 'config', described(folder));
  const hint = 'login and config set need to write there; set GWTOKEN_CONFIG_DIR to a writable directory';
  return check('warning', 'config', `${path} is not writable`, hint);
}

function cacheFolder(folder: FolderFacts): Check {
  const { path, untrusted } = folder;
  const hint = 'tokens are not cached; set GWTOKEN_CACHE_DIR to a directory you own';
  if (path === undefined) return check('warning', 'cache', 'no home directory', hint);
  if (untrusted) {
    const fix = untrusted.why === 'open' ? `run: chmod 700 ${shellWord(path)}` : hint;
    return check('warning', 'cache', `${path} ${untrusted.text}; not used`, fix);
  }
  if (folder.writable) return check('ok', 'cache', described(folder));
  return check('warning', 'cache', `${path} is not writable`, hint);
}

function described({ path, exists, mode }: FolderFacts): string {
  if (!exists) return `${path} (will be created)`;
  return mode === undefined ? String(path) : `${path} (mode ${mode.toString(8)})`;
}

/** Checks the variables that change a connection; no section if none of them is set. */
export function environmentSections(world: Pick<World, 'env' | 'readFile'>): Section[] {
  const checks: Check[] = [];
  for (const [name, value] of Object.entries(world.env)) {
    if (!value) continue;
    if (/^https_proxy$/i.test(name)) checks.push(check('ok', name, withoutCredentials(value)));
    else if (/^(http|all)_proxy$/i.test(name))
      checks.push(check('ok', name, `${withoutCredentials(value)} (ignored; gwtoken uses HTTPS_PROXY)`));
    else if (/^(no_proxy|NODE_OPTIONS)$/i.test(name)) checks.push(check('ok', name, value));
    else if (name === 'NODE_EXTRA_CA_CERTS' || name === 'SSL_CERT_FILE')
      checks.push(caVariable(name, value, world));
    else if (name === 'NODE_TLS_REJECT_UNAUTHORIZED') checks.push(verification(name, value));
  }
  for (const { name, meant } of strayVariables(world.env)) {
    const hints = meant.map((each) => `did you mean: ${each}`);
    checks.push(check('warning', name, 'gwtoken reads no variable of this name', ...hints));
  }
  if (checks.length === 0) return [];
  return [{ title: 'environment', summary: checks.map(({ name }) => name).join(', '), checks }];
}

const CA_LIMIT = 4 * 1024 * 1024;

function caVariable(name: string, path: string, { readFile }: Pick<World, 'readFile'>): Check {
  try {
    readFile(path, CA_LIMIT);
    return check('ok', name, path);
  } catch (error) {
    const message = `${path} cannot be read (${systemCode(error) ?? messageOf(error)})`;
    return check('warning', name, message, `set ${name} to a readable PEM file, or unset it`);
  }
}

function verification(name: string, value: string): Check {
  if (value !== '0') return check('ok', name, value);
  const message = '0 (ignored by gwtoken, but other Node programs skip certificate checks)';
  return check('warning', name, message, `unset ${name}`);
}

/** Returns a proxy's scheme, host and port: a report may be passed on, and the rest may be a password. */
function withoutCredentials(value: string): string {
  const [, scheme = '', rest = ''] = /^([a-z][a-z0-9+.-]*:\/\/)?(.*)$/is.exec(value) ?? [];
  const at = rest.lastIndexOf('@');
  const host = rest.slice(at + 1);
  const isHost = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(:\d{1,5})?\/?$/i.test(host);
  return `${scheme}${at < 0 ? '' : '***@'}${isHost ? host : '***'}`;
}
