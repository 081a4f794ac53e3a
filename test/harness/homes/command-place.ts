import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type IdentityServer, startIdentityServer } from '../endpoints/identity-server';
import { filesBelow } from './files';
import { type Home, openHome } from './home';

/** A client secret with what shells, JSON and forms trip over. Only the endpoint may ever see it. */
export const CANARY = 'canary-s3cret "\\$`\' +/=&%<>|;!~{}[]#@';

/** A home whose config names the command, and the endpoint that knows the client `from-command`. */
export async function startPlace(command: string): Promise<Home & { readonly identity: IdentityServer }> {
  const clients = [{ clientId: 'from-command', clientSecret: CANARY }];
  const identity = await startIdentityServer({ clients });
  const home = openHome();
  home.configure({ region: 'eu', 'auth-url': identity.authUrl, 'credential-command': command });
  return { ...home, identity };
}

/** Writes the credentials where a command prints them from, so that no quoting comes in between. */
export function putAnswer(dir: string, before = '', after = ''): void {
  const answer = JSON.stringify({ client_id: 'from-command', client_secret: CANARY });
  writeFileSync(join(dir, 'answer'), before + answer + after);
}

/** The secret is in none of the texts and in no file of the place but the command's own. */
export function expectNoCanary(dir: string, ...texts: string[]): void {
  for (const text of texts) expect(text).not.toContain('canary-s3cret');
  for (const [path, bytes] of filesBelow(dir)) {
    if (path !== 'answer') expect(bytes.includes('canary-s3cret'), path).toBe(false);
  }
}
