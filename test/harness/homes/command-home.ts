import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type IdentityServer, startIdentityServer } from '../endpoints/identity-server';
import { SECRET, SECRET_FORMS } from './canary';
import { filesBelow } from './files';
import { type Home, openHome } from './home';

/** Opens a home whose config names the command, and an endpoint that knows the client `from-command`. */
export async function startCommandHome(
  command: string,
): Promise<Home & { readonly identity: IdentityServer }> {
  const clients = [{ clientId: 'from-command', clientSecret: SECRET }];
  const identity = await startIdentityServer({ clients });
  const home = openHome();
  home.configure({ region: 'eu', 'auth-url': identity.authUrl, 'credential-command': command });
  return { ...home, identity };
}

/** Writes the credentials to a file that the command prints, so that no shell has to quote them. */
export function putAnswer(dir: string, before = '', after = ''): void {
  const answer = JSON.stringify({ client_id: 'from-command', client_secret: SECRET });
  writeFileSync(join(dir, 'answer'), before + answer + after);
}

/** Fails if one of the texts, or a file other than the command's, contains the secret. */
export function expectNoSecret(dir: string, ...texts: string[]): void {
  const files = [...filesBelow(dir)].filter(([path]) => path !== 'answer');
  const places = [...texts, ...files.map(([, bytes]) => bytes.toString('latin1'))];
  expect(places.filter((text) => SECRET_FORMS.some((form) => form.test(text)))).toEqual([]);
}
