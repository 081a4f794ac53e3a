import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type IdentityServer, startIdentityServer } from '../endpoints/identity-server';
import { filesBelow } from './files';
import { type Home, openHome } from './home';

/** A client secret with characters that are special in shells, JSON and forms. Only the endpoint may get it. */
export const CANARY = 'canary-s3cret "\\$`\' +/=&%<>|;!~{}[]#@';

/** Opens a home whose config names the command, and an endpoint that knows the client `from-command`. */
export async function startPlace(command: string): Promise<Home & { readonly identity: IdentityServer }> {
  const clients = [{ clientId: 'from-command', clientSecret: CANARY }];
  const identity = await startIdentityServer({ clients });
  const home = openHome();
  home.configure({ region: 'eu', 'auth-url': identity.authUrl, 'credential-command': command });
  return { ...home, identity };
}

/** Writes the credentials to a file that the command prints, so that no shell has to quote them. */
export function putAnswer(dir: string, before = '', after = ''): void {
  const answer = JSON.stringify({ client_id: 'from-command', client_secret: CANARY });
  writeFileSync(join(dir, 'answer'), before + answer + after);
}

/** Fails if one of the texts, or a file other than the command's, contains the secret. */
export function expectNoCanary(dir: string, ...texts: string[]): void {
  for (const text of texts) expect(text).not.toContain('canary-s3cret');
  for (const [path, bytes] of filesBelow(dir)) {
    if (path !== 'answer') expect(bytes.includes('canary-s3cret'), path).toBe(false);
  }
}
