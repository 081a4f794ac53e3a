/** The environment variables about proxies, certificates and TLS, as they are set. */
import { messageOf, systemCode } from '../../errors';
import type { World } from '../../world';
import { type Check, type Section, section } from './check';

const { ok, warning } = section('environment');

type Outside = Pick<World, 'env' | 'readFile'>;

/** Nothing if none of them is set. */
export async function environmentSections(world: Outside): Promise<Section[]> {
  const { env } = world;
  const found: Check[] = [];
  for (const [name, value] of Object.entries(env)) {
    if (!value) continue;
    if (/^https_proxy$/i.test(name)) found.push(ok(name, withoutCredentials(value)));
    else if (/^no_proxy$/i.test(name)) found.push(ok(name, value));
    else if (/^(http|all)_proxy$/i.test(name))
      found.push(ok(name, `${withoutCredentials(value)} (ignored; gwtoken uses HTTPS_PROXY)`));
    else if (name === 'NODE_EXTRA_CA_CERTS' || name === 'SSL_CERT_FILE')
      found.push(await caVariable(name, value, world));
    else if (name === 'NODE_TLS_REJECT_UNAUTHORIZED') found.push(verification(name, value));
    else if (name === 'NODE_OPTIONS') found.push(ok(name, value));
  }
  if (found.length === 0) return [];
  return [{ title: 'environment', summary: found.map(({ name }) => name).join(', '), checks: found }];
}

const CA_LIMIT = 4 * 1024 * 1024;

async function caVariable(name: string, path: string, { readFile }: Outside): Promise<Check> {
  try {
    await readFile(path, CA_LIMIT);
    return ok(name, path);
  } catch (error) {
    const message = `${path} cannot be read (${systemCode(error) ?? messageOf(error)})`;
    return warning(name, message, `set ${name} to a readable PEM file, or unset it`);
  }
}

function verification(name: string, value: string): Check {
  if (value !== '0') return ok(name, value);
  const message = '0 (ignored by gwtoken, but other Node programs skip certificate checks)';
  return warning(name, message, `unset ${name}`);
}

/** Shows a proxy's scheme, host and port only: a report may be passed on, and whatever else stands there may be a password. */
function withoutCredentials(value: string): string {
  const [, scheme = '', rest = ''] = /^([a-z][a-z0-9+.-]*:\/\/)?(.*)$/is.exec(value) ?? [];
  const at = rest.lastIndexOf('@');
  const host = rest.slice(at + 1);
  const isHost = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(:\d{1,5})?\/?$/i.test(host);
  return `${scheme}${at < 0 ? '' : '***@'}${isHost ? host : '***'}`;
}
