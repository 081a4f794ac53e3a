/** Failures at a limit of the system, as Node tells of them; cli/limits.test.ts meets some for real. */
import { expect, test } from 'vitest';
import { GwtokenError, limitReached } from '../src/errors';

const error = (code: string | undefined, syscall: string, message = `${code}: …, ${syscall}`) =>
  Object.assign(new Error(message), { code, syscall });
const FILES = 'cannot open more files: a system limit is reached';
const PROCESSES = 'cannot start more processes: a system limit is reached';
const MEMORY = 'out of memory: a system limit is reached';

test.each([
  [error('EMFILE', 'open'), `${FILES} (EMFILE)`, 'to raise the limit, run: ulimit -n 1024'],
  [error('ENFILE', 'socket'), `${FILES} (ENFILE)`, 'to raise the limit, run: ulimit -n 1024'],
  [
    error('EAGAIN', 'spawn getent'),
    `${PROCESSES} (EAGAIN)`,
    'to raise the limit, run: ulimit -u 4096; or end other programs',
  ],
  [
    error('EAGAIN', 'fork'),
    `${PROCESSES} (EAGAIN)`,
    'to raise the limit, run: ulimit -u 4096; or end other programs',
  ],
  [
    error('ENOMEM', 'spawn'),
    `${MEMORY} (ENOMEM)`,
    'to raise the limit, run: ulimit -v unlimited; or end other programs',
  ],
  [
    new RangeError('WebAssembly.Instance(): Out of memory: Cannot allocate Wasm memory for new instance'),
    'cannot reserve more memory: a system limit is reached',
    'to raise the limit, run: ulimit -v unlimited; or set NODE_OPTIONS=--disable-wasm-trap-handler',
  ],
])('%s', (met, message, hint) => {
  const found = limitReached(met);
  expect(found).toMatchObject({ kind: 'local', message, hints: [hint], cause: met, detail: met.message });
});

test.each([
  error('EAGAIN', 'write'),
  error('EAGAIN', 'read'),
  error('ENOENT', 'spawn x'),
  error('EACCES', 'open', 'EACCES: EMFILE , open'),
  error('EACCES', 'open', 'EAGAIN spawn'),
  error('EACCES', 'open', 'EAGAIN fork'),
  error('EACCES', 'open', 'ENOMEM , open'),
  new Error('out of memory'),
  // Another program's words, which are told of already.
  new GwtokenError('keychain', 'it said: WebAssembly.Instance(): Out of memory'),
  'EMFILE open',
  undefined,
])('%s is none', (met) => {
  expect(limitReached(met)).toBeUndefined();
});
