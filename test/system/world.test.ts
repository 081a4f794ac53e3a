/** What the program's World does by itself: signals, time, warnings, and what it is without a home. */
import { expect, test, vi } from 'vitest';
import type { Client } from '../../src/client';
import { openWarm } from '../../src/system/warm';
import { openWorld } from '../../src/system/world';
import type { World } from '../../src/world';
import { onCleanup } from '../harness/clean-up';

function open(env: Record<string, string> = {}): World {
  const { getBuiltinModule, pid, kill } = process;
  const opened = openWarm({ env, platform: 'linux', getBuiltinModule, pid, kill });
  return openWorld(process, '1.2.3', opened).world;
}

test('signals are handled until that is released', () => {
  const count = () => [process.listenerCount('SIGUSR2'), process.listenerCount('SIGWINCH')];
  const before = count();
  const heard: string[] = [];
  const release = open().onSignals(['SIGUSR2', 'SIGWINCH'], (signal) => heard.push(signal));
  process.emit('SIGUSR2', 'SIGUSR2');
  process.emit('SIGWINCH', 'SIGWINCH');
  expect(heard).toEqual(['SIGUSR2', 'SIGWINCH']);
  release();
  expect(count()).toEqual(before);
});

test('it sleeps as long as it is told to, and works after that time unless it is called off', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onCleanup(() => void vi.useRealTimers());
  const { sleep, after } = open();
  const done: string[] = [];
  void sleep(1000).then(() => done.push('slept'));
  after(1000, () => done.push('worked'));
  const callOff = after(1000, () => done.push('worked in vain'));
  await vi.advanceTimersByTimeAsync(999);
  callOff();
  expect(done).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(done.toSorted()).toEqual(['slept', 'worked']);
});

test('a warning is one line, with ~ for the home', () => {
  let said = '';
  const stderr = {
    isTTY: () => false,
    write: (text: string) => {
      said += text;
    },
  };
  const { warn } = Object.assign(open({ HOME: '/home/me' }), { stderr });
  warn('/home/me/x is\nopen');
  expect(said).toBe('gwtoken: warning: ~/x is\\u000aopen\n');
});

test('without a home there is no cache, which is no error, and no config file, which is one', async () => {
  const { tokens, config, clients, probes } = open();
  const client: Client = { profile: 'default', environment: 'production', region: 'eu' };
  expect([
    tokens.read(client),
    await tokens.write(client, 'text'),
    await tokens.renew(client),
    await tokens.takeTurn(client, 'whose'),
    await tokens.remove(() => true),
  ]).toEqual([{}, 'ENOHOME', [], undefined, undefined]);
  const homeless = expect.objectContaining({
    kind: 'usage',
    message: 'no home directory for the config file',
    hints: ['set HOME, or set GWTOKEN_CONFIG_DIR to a directory you own'],
  });
  expect(() => config.path()).toThrow(homeless);
  // The second before login asks for anything.
  for (const refused of [
    () => config.edit([]),
    () => config.checkWritable(),
    () => clients.add('default:production:eu', { clientId: 'id', authUrl: 'https://a.test' }),
    () => clients.remove([]),
  ])
    await expect(refused()).rejects.toEqual(homeless);
  expect(probes.system()).toBe(`npm package with Node ${process.version} on linux ${process.arch}`);
});

test('a Windows console is written to by Node’s stream of it, and nothing else is', () => {
  const shown: string[] = [];
  const stream = (name: string) => ({ value: { write: (text: string) => shown.push(`${name}: ${text}`) } });
  const streamsWhere = (isATerminal: boolean) => {
    const own: NodeJS.Process = Object.create(process, {
      platform: { value: 'win32' },
      getBuiltinModule: { value: () => ({ isatty: () => isATerminal }) },
      stdout: stream('stdout'),
      stderr: stream('stderr'),
    });
    const { getBuiltinModule, pid, kill } = own;
    const opened = openWarm({ env: {}, platform: 'win32', getBuiltinModule, pid, kill });
    return openWorld(own, '1.2.3', opened).world;
  };
  const console = streamsWhere(true);
  console.stdout.write('a token');
  console.stderr.write('a warning');
  expect(shown).toEqual(['stdout: a token', 'stderr: a warning']);
  // Of which nothing goes to the streams of the test either.
  const pipe = streamsWhere(false);
  pipe.stdout.write('');
  pipe.stderr.write('');
  expect(shown).toHaveLength(2);
});
