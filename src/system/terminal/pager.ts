/** Long texts on a terminal go through the user's pager. */
import { spawnSync } from 'node:child_process';
import { isCredentialVariable } from '../../client';
import { absolutePath } from '../processes/helper-program';

const LESS = 'if command -v less >/dev/null; then less -FRX; else cat; fi';

/** Shows a text through `$PAGER`, or less. Returns false, with nothing written, if there is no pager. */
export function page(text: string, proc: NodeJS.Process): boolean {
  const command = proc.env['PAGER'] ?? LESS;
  if (proc.platform === 'win32' || command === '' || proc.env['TERM'] === 'dumb') return false;
  const kept = Object.fromEntries(Object.entries(proc.env).filter(([name]) => !isCredentialVariable(name)));
  // Ctrl-C in the pager is the pager's.
  const ignore = (): void => {};
  proc.on('SIGINT', ignore);
  const { status } = spawnSync('/bin/sh', ['-c', command], {
    input: text,
    stdio: ['pipe', 'inherit', 'inherit'],
    // LESS as git has it: without R, less shows colours as ESC[1m.
    env: { LESS: 'FRX', ...kept, PATH: absolutePath(proc.env) },
  });
  proc.off('SIGINT', ignore);
  // 126 and 127: sh could not run it.
  return status !== 126 && status !== 127;
}
