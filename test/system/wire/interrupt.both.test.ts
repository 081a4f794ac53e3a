/** A signal at any moment ends gwtoken at once and leaves no partial file and no lock. */
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Script, startFaultServer } from '../../harness/endpoints/fault-server';
import { until } from '../../harness/programs/processes';
import { authorityAndHome, reply } from './scene';

const { home } = authorityAndHome();

const halfBody = reply(200).subarray(0, -10);
const NO_REPLY: Script = {};
const MOMENTS: readonly (readonly [NodeJS.Signals, string, Script])[] = [
  ['SIGINT', 'while it waits for a reply', NO_REPLY],
  ['SIGQUIT', 'while it waits for a reply', NO_REPLY],
  ['SIGINT', 'in the middle of a reply', { answer: (socket) => void socket.write(halfBody) }],
  [
    'SIGINT',
    'while it waits for the next attempt',
    { answer: (socket) => void socket.write(reply(503, '', { 'Retry-After': '50' })) },
  ],
];
test.for(MOMENTS)('get ends at once on %s %s', async ([signal, _, script], { needs }) => {
  needs('posix');
  const server = await startFaultServer(script);
  // The timeout must not end gwtoken before the signal does.
  const program = home.start(['get', '--auth-url', server.url, '--timeout', '60s']);
  await until('the request has arrived', () => server.requests.length > 0);
  await new Promise((resolve) => setTimeout(resolve, 100));
  program.kill(signal);
  const { code, signal: by, stdout, stderr } = await program.result;
  // The default effect of SIGQUIT writes the memory, with the secret in it, to a core file.
  const end = signal === 'SIGQUIT' ? { code: 131, by: null } : { code: null, by: signal };
  expect({ code, by, stdout, stderr }).toEqual({ ...end, stdout: '', stderr: '' });
  expect(readdirSync(home.cache)).toEqual([]);
});
