import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type IdentityServer, startIdentityServer } from '../endpoints/identity-server';
import { filesBelow, freshHome } from '../programs/program';

/** A client secret with what shells, JSON and forms trip over. It must be seen nowhere but by the endpoint. */
export const CANARY = 'canary-s3cret "\\$`\' +/=&%<>|;!~{}[]#@';

export interface CommandPlace {
  readonly dir: string;
  readonly env: Record<string, string>;
  readonly identity: IdentityServer;
  close(): Promise<void>;
}

/** A home whose config names the command, and the endpoint that knows the client `from-command`. */
export async function startPlace(
  command: string,
  config: Record<string, unknown> = {},
): Promise<CommandPlace> {
  const identity = await startIdentityServer({
    region: 'eu',
    clients: [{ clientId: 'from-command', clientSecret: CANARY }],
  });
  const home = freshHome();
  const folder = join(home.env.XDG_CONFIG_HOME, 'gwtoken');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const values = { region: 'eu', 'auth-url': identity.authUrl, 'credential-command': command, ...config };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(values), { mode: 0o600 });
  const close = async (): Promise<void> => {
    home.remove();
    await identity.close();
  };
  return { dir: home.dir, env: { ...home.env }, identity, close };
}

/** A shell command that prints the credentials, from a file, so that no quoting comes in between. */
export function printing(dir: string, text: string | Buffer): string {
  writeFileSync(join(dir, 'answer'), text);
  return `cat '${join(dir, 'answer')}'`;
}

export const answer = (clientId = 'from-command', clientSecret = CANARY): string =>
  JSON.stringify({ client_id: clientId, client_secret: clientSecret });

/** The secret is in none of the texts and in no file of the place but the command's own. */
export function expectNoCanary(dir: string, ...texts: string[]): void {
  for (const text of texts) expect(text).not.toContain('canary-s3cret');
  for (const [path, bytes] of filesBelow(dir)) {
    if (path !== 'answer') expect(bytes.includes('canary-s3cret'), path).toBe(false);
  }
}
