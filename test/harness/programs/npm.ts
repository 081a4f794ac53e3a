import { execFileSync } from 'node:child_process';
import { basename } from 'node:path';
import { ROOT } from '../root';

const WINDOWS = process.platform === 'win32';

/** Runs npm in this repository, with the developer's own environment, for the sake of a registry or a proxy. */
export function npm(...args: string[]): void {
  const ours = process.env['npm_execpath'] ?? '';
  const options = { cwd: ROOT, stdio: 'pipe', timeout: 120_000 } as const;
  if (basename(ours) === 'npm-cli.js') execFileSync(process.execPath, [ours, ...args], options);
  else execFileSync(WINDOWS ? 'npm.cmd' : 'npm', args, { ...options, shell: WINDOWS });
}

/** Packs what prepare.mjs has built: another build now would take dist/ away from the other tests. */
export const pack = (folder: string): void => npm('pack', '--ignore-scripts', '--pack-destination', folder);
