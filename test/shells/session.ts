/** Scripts in real shells that call the built program. */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startTokenEndpoint, type TokenEndpoint, tokenReply } from '../harness/endpoints/token-endpoint';
import { openHome } from '../harness/homes/home';
import { linkProgram } from '../harness/programs/program';
import type { Shell } from './shells';

export const EU_TOKEN = 'eu *\'t;$(touch PWNED)` \\ "~!#{a,b}';
export const US_TOKEN = 'us [a-z]* | & < > ? % ^ -n';

export interface Session {
  readonly dir: string;
  readonly endpoint: TokenEndpoint;
  /** PATH has `gwtoken` in it, and both regions' clients are in variables. */
  readonly env: Readonly<Record<string, string>>;
}

export interface ScriptResult {
  readonly code: number | string | null;
  readonly stdout: string;
  readonly stderr: string;
}

export async function startSession(): Promise<Session> {
  const endpoint = await startTokenEndpoint((_, form) =>
    form.get('client_id') === 'eu-client'
      ? tokenReply(EU_TOKEN, { scope: 'read  write *' })
      : tokenReply(US_TOKEN),
  );
  const { dir, env } = openHome();
  const bin = join(dir, 'bin');
  mkdirSync(bin);
  linkProgram(bin);
  return {
    dir,
    endpoint,
    env: {
      ...env,
      PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`,
      SCRATCH: join(dir, 'sourced'),
      GWTOKEN_AUTH_URL: endpoint.authUrl,
      GWTOKEN_CLIENT_ID_EU: 'eu-client',
      GWTOKEN_CLIENT_SECRET_EU: 'eu-secret',
      GWTOKEN_CLIENT_ID_US: 'us-client',
      GWTOKEN_CLIENT_SECRET_US: 'us-secret',
    },
  };
}

/** `gwtoken env` with the flags, as the shell's own format. */
export function envCommand(shell: Shell, flags: string): string {
  return `gwtoken env${shell.format === 'sh' ? '' : ` --format ${shell.format}`} ${flags}`.trimEnd();
}

/** Runs a script in the shell; `name` keeps scripts that run at the same time apart. */
export function runScript(
  shell: Shell,
  name: string,
  lines: readonly string[],
  { dir, env }: Pick<Session, 'dir' | 'env'>,
  more: { cwd?: string; args?: readonly string[]; env?: Record<string, string> } = {},
): Promise<ScriptResult> {
  const script = join(dir, `script-${name}`);
  writeFileSync(script, `${lines.join('\n')}\n`);
  const options = {
    cwd: more.cwd ?? dir,
    env: { ...env, SCRATCH: join(dir, `sourced-${name}`), ...more.env },
    timeout: 30_000,
  };
  return new Promise((resolve) => {
    const args = [...shell.args, ...(more.args ?? []), script];
    const child = execFile(shell.command, args, options, (error, stdout, stderr) =>
      resolve({ code: error ? (error.code ?? error.signal ?? null) : 0, stdout, stderr }),
    );
    child.stdin?.end();
  });
}

/** The environment that `shell.save` wrote. */
export function savedEnvironment(path: string): Record<string, string> {
  return Object.fromEntries(
    readFileSync(path, 'latin1')
      .split('\0')
      .filter((entry) => entry.includes('='))
      .map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
  );
}
