/** The World of the program: output to a Windows console, and a missing home directory. */
import { expect, test } from 'vitest';
import { clientName } from '../../src/client';
import { openQuickWorld } from '../../src/system/quick-world';
import { openWorld } from '../../src/system/world';
import type { World } from '../../src/world';
import { EU, EU_KEY } from '../harness/homes/client';

function open(env: Record<string, string> = {}): World {
  const opened = openQuickWorld({ env, platform: 'linux' });
  return openWorld(process, { version: '1.2.3', repository: null }, opened).world;
}

test('without HOME, the cache is empty and the config file is an error', async () => {
  const { tokens, config, clients } = open();
  expect([
    tokens.read(EU_KEY),
    await tokens.write(EU_KEY, 'text'),
    await tokens.remove(() => true),
    await tokens.acquireLock(EU_KEY),
  ]).toEqual([{}, 'no home directory', [], undefined]);
  const noHome = 'no home directory';
  expect(() => config.path()).toThrow(noHome);
  const edit = () => config.edit({ key: 'retries', value: '1' });
  for (const call of [edit, () => config.checkWritable(), () => clients.remove(clientName(EU))])
    await expect(call()).rejects.toThrow(noHome);
});

test('gwtoken uses Node’s own streams only for a Windows console', () => {
  const shown: string[] = [];
  const stream = (name: string) => ({ value: { write: (text: string) => shown.push(`${name}: ${text}`) } });
  const worldOn = (isConsole: boolean) => {
    const proc: NodeJS.Process = Object.create(process, {
      platform: { value: 'win32' },
      getBuiltinModule: { value: () => ({ isatty: () => isConsole }) },
      stdout: stream('stdout'),
      stderr: stream('stderr'),
    });
    const opened = openQuickWorld({ env: {}, platform: 'win32' });
    return openWorld(proc, { version: '1.2.3', repository: null }, opened).world;
  };
  const onConsole = worldOn(true);
  onConsole.stdout.write('a token');
  onConsole.stderr.write('a warning');
  expect(shown).toEqual(['stdout: a token', 'stderr: a warning']);
  // gwtoken writes to the descriptor of a pipe, which belongs to the test here, so the text is empty.
  const onPipe = worldOn(false);
  onPipe.stdout.write('');
  onPipe.stderr.write('');
  expect(shown).toHaveLength(2);
});
