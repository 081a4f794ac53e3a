/** Scripts in real shells that call the built program. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startTokenEndpoint, tokenReply } from '../harness/endpoints/token-endpoint';
import { openHome } from '../harness/homes/home';
import { executable, linkProgram, type ProgramResult, runCommand } from '../harness/programs/program';
import type { Shell } from './shells';

export const EU_TOKEN = 'eu *\'t;$(touch PWNED)` \\ "~!#{a,b}';
export const US_TOKEN = 'us [a-z]* | & < > ? % ^ -n';

/** A home in which scripts of all shells run. */
export interface ShellHome {
  readonly dir: string;
  /** An environment with `gwtoken` on PATH, and the clients of both regions in variables. */
  readonly env: Readonly<Record<string, string>>;
}

export async function openShellHome(): Promise<ShellHome> {
  const endpoint = await startTokenEndpoint((_, form) =>
    form.get('client_id') === 'eu-client'
      ? tokenReply(EU_TOKEN, { scope: 'read  write *' })
      : tokenReply(US_TOKEN),
  );
  const { dir, env } = openHome();
  const bin = join(dir, 'bin');
  linkProgram(bin, [executable()]);
  return {
    dir,
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

/** Returns the command line of `gwtoken env` for this shell. */
export function envCommand(shell: Shell, flags: string): string {
  return `gwtoken env${shell.format === 'sh' ? '' : ` --format ${shell.format}`} ${flags}`;
}

/** Runs a script in the shell. The files of scripts that run at the same time differ by `name`. */
export function runScript(
  shell: Shell,
  name: string,
  lines: readonly string[],
  { dir, env }: Pick<ShellHome, 'dir' | 'env'>,
  more: { cwd?: string; env?: Record<string, string> } = {},
): Promise<ProgramResult> {
  const script = join(dir, `script-${name}`);
  writeFileSync(script, `${lines.join('\n')}\n`);
  return runCommand([shell.command, ...shell.args, script], {
    cwd: more.cwd ?? dir,
    env: { ...env, SCRATCH: join(dir, `sourced-${name}`), ...more.env },
  });
}
