/** Ctrl-C at any moment ends gwtoken at once, by the signal, with nothing half written. */
import { expect, test } from 'vitest';
import { type FaultServer, startBlackHole } from '../../harness/endpoints/fault-server';
import { startProgram } from '../../harness/programs/program';
import { openGwtoken } from '../../harness/programs/terminal';
import { reply, setScene } from './scene';

const { stage, env } = setScene();
const posix = process.platform === 'win32' ? 'needs POSIX: signals' : undefined;

const untilTrue = async (holds: () => boolean): Promise<void> => {
  const giveUpAt = Date.now() + 10_000;
  while (!holds() && Date.now() < giveUpAt) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(holds()).toBe(true);
};
const halfBody = reply(200).subarray(0, -10);

test.each([
  [
    'SIGINT',
    'while it waits for a reply',
    () => stage.serve({}),
    (server: FaultServer) => server.requests.length > 0,
  ],
  [
    'SIGTERM',
    'while it waits for a reply',
    () => stage.serve({}),
    (server: FaultServer) => server.requests.length > 0,
  ],
  [
    'SIGHUP',
    'while it waits for a reply',
    () => stage.serve({}),
    (server: FaultServer) => server.requests.length > 0,
  ],
  [
    'SIGINT',
    'in the middle of a reply',
    () => stage.serve({ answer: (socket) => void socket.write(halfBody) }),
    (server: FaultServer) => server.requests.length > 0,
  ],
  [
    'SIGINT',
    'while it waits for the next attempt',
    () => stage.serve({ answer: (socket) => void socket.write(reply(503, '', { 'Retry-After': '20' })) }),
    (server: FaultServer) => server.requests.length > 0,
  ],
] as const)('%s %s', async (signal, _, serve, isThere) => {
  if (posix) return;
  const server = await serve();
  const program = startProgram(['get', '--auth-url', server.url], { env });
  await untilTrue(() => isThere(server));
  await new Promise((resolve) => setTimeout(resolve, 100));
  const sent = performance.now();
  program.kill(signal);
  const { code, signal: by, stdout, stderr } = await program.result;
  expect({ code, by, stdout, stderr }).toEqual({ code: null, by: signal, stdout: '', stderr: '' });
  expect(performance.now() - sent).toBeLessThan(1000);
});

test('Ctrl-C under the spinner: by the signal, the cursor is back and the line is gone', async ({ skip }) => {
  skip(posix !== undefined, posix);
  const server = await stage.serve({});
  const terminal = openGwtoken(['get', '--auth-url', server.url], { env });
  await stage.own(terminal);
  await terminal.waitFor('asking for a token');
  terminal.type('\x03');
  expect(await terminal.exit).toEqual({ code: null, signal: 'SIGINT' });
  const raw = terminal.raw();
  expect(raw.lastIndexOf('\x1b[?25h')).toBeGreaterThan(raw.lastIndexOf('\x1b[?25l'));
  expect(raw.slice(raw.lastIndexOf('asking for a token'))).toContain('\x1b[1G\x1b[0K');
});

test('SIGINT while no connection comes about', async ({ skip }) => {
  skip(process.platform !== 'linux', 'needs Linux: a listener whose full queue drops connections');
  const hole = await stage.own(startBlackHole());
  const program = startProgram(['get', '--auth-url', `http://127.0.0.1:${hole.port}`], { env });
  await new Promise((resolve) => setTimeout(resolve, 1500));
  program.kill('SIGINT');
  const { signal, stdout, stderr } = await program.result;
  expect({ signal, stdout, stderr }).toEqual({ signal: 'SIGINT', stdout: '', stderr: '' });
});
