/** A prompt drops the input that readline has not read, because gwtoken was busy when it was typed. */
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { bundle } from '../../harness/programs/bundle';
import { openTerminal } from '../../harness/programs/terminal';
import { ROOT } from '../../harness/root';

let prompts: string;
beforeEach(({ needs }) => needs('linux', 'bash'));
beforeAll(async () => {
  prompts = await bundle(join(ROOT, 'src', 'system', 'terminal', 'prompts.ts'));
});

/**
 * Opens a prompt whose process is busy until 0.1 s after input arrives, which is longer than TYPED_AHEAD_MS of
 * prompts.ts. bash's `read -t 0` checks for input without reading it.
 */
async function openBusyPrompt() {
  const script = `
    const readLine = require(process.argv[1]).openPrompts(process, () => () => {});
    readLine('Name: ', false).then((line) => { console.log('got ' + line); process.exit(); });
    console.log('busy');
    const untilTyped = 'until read -t 0; do sleep 0.02; done; sleep 0.1';
    require('node:child_process').execFileSync('bash', ['-c', untilTyped], { stdio: 'inherit' });`;
  const terminal = openTerminal([process.execPath, '-e', script, prompts], { env: {} });
  await terminal.waitFor('busy');
  return terminal;
}

test('a prompt drops a line that was typed while gwtoken was busy', async () => {
  const terminal = await openBusyPrompt();
  terminal.type('early\r');
  await terminal.waitFor('Name: ');
  terminal.type('late\r');
  await terminal.exit;
  expect(terminal.screen()).toContain('got late\n');
});

test('a Ctrl-C that was typed while gwtoken was busy ends it', async () => {
  const terminal = await openBusyPrompt();
  terminal.type('\x03');
  expect(await terminal.exit).toEqual({ code: null, signal: 'SIGINT' });
  expect(terminal.screen()).not.toContain('Name: ');
});
