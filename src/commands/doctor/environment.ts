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

/** A report may be passed on: it does not show the user name and password of a proxy. */
function withoutCredentials(value: string): string {
  return value.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1***@');
}
