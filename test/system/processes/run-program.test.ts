import { closeSync, existsSync, openSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { usage } from '../../../src/errors';
import { runProgram } from '../../../src/system/processes/run-program';
import { openDirectory } from '../../harness/homes/directory';

const onSignals = () => () => {};
/** gwtoken as it is started on a platform. */
const own = (platform: NodeJS.Platform) => ({ platform, onSignals });
const run = (command: string, args: readonly string[] = [], platform = process.platform) =>
  runProgram(own(platform), command, args, { env: { PATH: process.env['PATH'] } });

test.each([
  ['linux', ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGINT', 'SIGQUIT']],
  // Windows sends Ctrl-C, Ctrl-Break and the closing of a console to each of its programs.
  ['win32', ['SIGINT', 'SIGBREAK', 'SIGHUP']],
] as const)('on %s gwtoken survives %j until its own end', async (platform, signals) => {
  const survived: NodeJS.Signals[] = [];
  const onSignals = (names: readonly NodeJS.Signals[]) => {
    survived.push(...names);
    return () => void survived.splice(0);
  };
  await expect(
    runProgram({ ...own(platform), onSignals }, 'no-such-command', [], { env: {} }),
  ).rejects.toThrow();
  expect(survived).toEqual(signals);
});

test('calls beforeStart() while signals do not end gwtoken, and rejects with its error', async () => {
  const order: string[] = [];
  const onSignals = () => {
    order.push('signals');
    return () => {};
  };
  const fault = usage('a fault');
  const beforeStart = () => {
    order.push('beforeStart');
    throw fault;
  };
  const running = runProgram({ ...own('linux'), onSignals }, 'true', [], { env: {}, beforeStart });
  await expect(running).rejects.toBe(fault);
  expect(order).toEqual(['signals', 'beforeStart']);
});

test('a program that gwtoken chose is searched only in absolute directories of PATH', async ({ needs }) => {
  needs('posix');
  const directory = openDirectory();
  const seen = join(directory, 'seen');
  for (const name of ['cat', 'sh', 'only-here'])
    writeFileSync(join(directory, name), `#!/bin/sh\n: >>'${seen}'\n`, { mode: 0o755 });
  // sh runs the text as its script.
  const text = { option: '-e', content: 'exit 7' };
  const PATH = `${relative(process.cwd(), directory)}:/usr/bin:/bin`;
  const options = { env: { PATH }, isOurs: true, text };
  const read = (command: string) => runProgram(own(process.platform), command, [], options);
  expect(await read('sh')).toEqual({ code: 7, signal: null });
  await expect(read('only-here')).rejects.toMatchObject({ kind: 'not-found' });
  expect(existsSync(seen)).toBe(false);
});

test('a program gets the descriptors that words name, and its text by another number', async ({ needs }) => {
  needs('linux');
  const fd = openSync(import.meta.filename, 'r');
  onTestFinished(() => closeSync(fd));
  // sh runs the text as its script.
  const content = `cmp $1 '${import.meta.filename}' && [ ! -e $2 ] && [ $0 != $2 ] && exit 7`;
  const options = { env: { PATH: '/usr/bin:/bin' }, text: { option: '-e', content } };
  const words = [`/dev/fd/${fd}`, '/dev/fd/99'];
  expect(await runProgram(own('linux'), 'sh', words, options)).toEqual({ code: 7, signal: null });
});

test('a program may end without reading its text', async ({ needs }) => {
  needs('posix');
  const text = { option: '-K', content: 'x'.repeat(1_000_000) };
  const options = { env: { PATH: '/usr/bin:/bin', PATHEXT: '' }, text };
  // On POSIX the program gets a file instead of a pipe.
  const running = runProgram(own('win32'), 'true', [], options);
  expect(await running).toEqual({ code: 0, signal: null });
});

function script(content: string, mode: number): string {
  const path = join(openDirectory(), 'script');
  writeFileSync(path, content, { mode });
  return path;
}
test.for(['no-such-command', 'a|b', ''])(
  'reports %j, which PATH does not have, as not found, with a hint',
  async (command, { needs }) => {
    needs('posix');
    const message = `command not found: ${JSON.stringify(command)}`;
    const error = { kind: 'not-found', message };
    await expect(run(command)).rejects.toMatchObject(error);
  },
);

test('an error shows NAME=VALUE as a command without the value', async () => {
  const message = 'command not found: "GWTOKEN_CLIENT_SECRET=…"';
  const hints = ['to set a variable, run: gwtoken exec -- env NAME=VALUE COMMAND'];
  await expect(run('GWTOKEN_CLIENT_SECRET=hidden', ['make'])).rejects.toMatchObject({ message, hints });
});

test.for<[why: string, command: string, args: readonly string[]]>([
  ['not a directory', '/etc/passwd/x', []],
  ['no such file or directory', './deploy.sh', []],
  ['permission denied', script('#!/bin/sh', 0o644), []],
  ['no such file or directory', script('#!/no/such/interpreter', 0o755), []],
  ['argument list too long', 'true', ['x'.repeat(4_000_000)]],
])('reports why a command cannot be run: %s', async ([why, command, args], { needs }) => {
  needs('posix');
  const message = `cannot run ${JSON.stringify(command)}: ${why}`;
  await expect(run(command, args)).rejects.toMatchObject({
    kind: why.startsWith('no such') ? 'not-found' : 'not-runnable',
    message,
    hints: [],
  });
});

test('on Windows a command without a file is reported as not found', async ({ needs }) => {
  needs('posix');
  const message = 'command not found: "dir"';
  const error = { kind: 'not-found', message };
  await expect(run('dir', [], 'win32')).rejects.toMatchObject(error);
});
