import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { onCleanup } from '../../harness/clean-up';
import { type Environment, endHelper } from '../../harness/keyrings/session';

export interface Prompter {
  /** How many dialogs it has been asked to show. */
  dialogs(): number;
}

/** Debian's Python alone sees Debian's packages. */
const PYTHON = '/usr/bin/python3';

/** Starts what shows the keyring's dialogs, on the bus of `env`, with nobody there. Ends with our stdin. */
export async function startPrompter(env: Environment): Promise<Prompter> {
  const child: ChildProcess = spawn(PYTHON, [join(import.meta.dirname, 'prompter.py')], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onCleanup(() => endHelper(child));
  let said = '';
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject).once('exit', () => reject(new Error('the prompter ended')));
    child.stdout?.on('data', (text) => {
      said += text;
      if (said.includes('ready')) resolve();
    });
  });
  return { dialogs: () => said.split('dialog').length - 1 };
}
