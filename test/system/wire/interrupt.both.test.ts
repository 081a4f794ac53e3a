/** Ctrl-C at any moment ends gwtoken at once, by the signal, with nothing half written. */
import { expect, test } from 'vitest';
import { type Script, startBlackHole, startFaultServer } from '../../harness/endpoints/fault-server';
import { until } from '../../harness/programs/processes';
import { atMost } from '../../harness/programs/program';
import { reply, setScene } from './scene';

const { home } = setScene();
const posix = process.platform === 'win32' ? 'needs POSIX: signals' : undefined;

const halfBody = reply(200).subarray(0, -10);
const NO_REPLY: Script = {};
const MOMENTS: readonly (readonly [NodeJS.Signals, string, Script])[] = [
  ['SIGINT', 'while it waits for a reply', NO_REPLY],
  ['SIGTERM', 'while it waits for a reply', NO_REPLY],
  ['SIGHUP', 'while it waits for a reply', NO_REPLY],
  ['SIGINT', 'in the middle of a reply', { answer: (socket) => void socket.write(halfBody) }],
  [
    'SIGINT',
    'while it waits for the next attempt',
    { answer: (socket) => void socket.write(reply(503, '', { 'Retry-After': '20' })) },
  ],
];
test.for(MOMENTS)('%s %s', async ([signal, _, script], { skip }) => {
  skip(posix !== undefined, posix);
  const server = await startFaultServer(script);
  const program = home.start(['get', '--auth-url', server.url]);
  await until('it has asked', () => server.requests.length > 0);
  await new Promise((resolve) => setTimeout(resolve, 100));
  const sent = performance.now();
  program.kill(signal);
  const { code, signal: by, stdout, stderr } = await program.result;
  expect({ code, by, stdout, stderr }).toEqual({ code: null, by: signal, stdout: '', stderr: '' });
  expect(performance.now() - sent).toBeLessThan(await atMost(0));
});

test('Ctrl-C under the spinner: by the signal, the cursor is back and the line is gone', async ({ skip }) => {
  skip(posix !== undefined, posix);
  const server = await startFaultServer({});
  const terminal = home.terminal(['get', '--auth-url', server.url]);
  await terminal.waitFor('requesting a token');
  terminal.type('\x03');
  expect(await terminal.exit).toEqual({ code: null, signal: 'SIGINT' });
  const raw = terminal.raw();
  expect(raw.lastIndexOf('\x1b[?25h')).toBeGreaterThan(raw.lastIndexOf('\x1b[?25l'));
  expect(raw.slice(raw.lastIndexOf('requesting a token'))).toContain('\x1b[1G\x1b[0K');
});

test('SIGINT while no connection comes about', async ({ skip }) => {
  skip(process.platform !== 'linux', 'needs Linux: a listener whose full queue drops connections');
  const hole = await startBlackHole();
  const program = home.start(['get', '--auth-url', `http://127.0.0.1:${hole.port}`]);
  await new Promise((resolve) => setTimeout(resolve, 1500));
  program.kill('SIGINT');
  const { signal, stdout, stderr } = await program.result;
  expect({ signal, stdout, stderr }).toEqual({ signal: 'SIGINT', stdout: '', stderr: '' });
});
