/** The child of exec around its start: signals that come before there is anybody to send them to, and why it does not start. */
import { expect, test } from 'vitest';
import { prepareChild } from '../../../src/system/processes/exec-child';

const env = { PATH: process.env['PATH'] };

/** A child that is about to be started, and the signals that gwtoken hears. */
function prepare() {
  const heard: ((signal: NodeJS.Signals) => void)[] = [];
  const released: string[] = [];
  const child = prepareChild(
    (_, hear) => {
      heard.push(hear);
      return () => released.push('released');
    },
    process.platform,
    (start) => start(),
  );
  return { child, signal: (name: NodeJS.Signals) => heard.map((hear) => hear(name)), released };
}

test.skipIf(process.platform === 'win32').each(['SIGTERM', 'SIGHUP', 'SIGUSR2', 'SIGINT'] as const)(
  'a %s before it is started is its own as soon as it is there',
  async (name) => {
    const { child, signal } = prepare();
    signal(name);
    expect(await child.run('sleep', ['5'], env)).toEqual({ code: null, signal: name });
  },
);

test
  .skipIf(process.platform === 'win32')
  .each<[string, readonly string[], string, string, readonly string[]]>([
    [
      'no-such-command',
      [],
      'not-found',
      'command not found: "no-such-command"',
      ['check the spelling and PATH; shell aliases and functions do not work here'],
    ],
    [
      'ls | wc',
      [],
      'not-found',
      'command not found: "ls | wc"',
      ["to run a shell command line: gwtoken exec -- sh -c '…'"],
    ],
    ['/', [], 'not-runnable', 'cannot run "/": it is a directory', []],
    [
      'true',
      ['x'.repeat(4_000_000)],
      'not-runnable',
      'cannot run "true": it has too many or too long arguments and variables',
      [],
    ],
    ['', [], 'not-runnable', 'cannot run "": it was rejected by the system (ERR_INVALID_ARG_VALUE)', []],
  ])('%j that cannot be started is told of (%#)', async (command, args, kind, message, hints) => {
  const { child } = prepare();
  await expect(child.run(command, args, env)).rejects.toMatchObject({ kind, message, hints });
});

test.skipIf(process.platform === 'win32')('without a signal it ends by itself', async () => {
  const { child, released } = prepare();
  expect(await child.run('sh', ['-c', 'exit 3'], env)).toEqual({ code: 3, signal: null });
  child.release();
  expect(released).toEqual(['released']);
});

test.runIf(process.platform === 'linux').each([
  ['true', 'x'.repeat(200_000), '"true": it has too many or too long arguments and variables'],
  [`/${'x'.repeat(300)}`, '', `"/${'x'.repeat(99)}…": it was rejected by the system (ENAMETOOLONG)`],
])('what the system does not start is told of, and why: %#', async (command, word, says) => {
  await expect(prepare().child.run(command, [word], env)).rejects.toMatchObject({
    kind: 'not-runnable',
    message: `cannot run ${says}`,
  });
});
