/**
 * A separate program: looks up the name in its last argument for its parent, which kills it when the time is
 * up. A lookup inside Node cannot be cancelled, and would keep gwtoken alive past its timeout.
 */
import { ADDRCONFIG, type LookupAddress, lookup } from 'node:dns';

export type LookupAnswer =
  | { readonly addresses: LookupAddress[] }
  /** Node's code: ENOTFOUND, EAI_AGAIN. */
  | { readonly code: string | undefined; readonly message: string };

// process.exit() would wait for the thread that waits for DNS.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
// As node:net asks for them.
const hints = process.platform === 'win32' ? 0 : ADDRCONFIG;
lookup(process.argv.at(-1) ?? '', { all: true, hints }, (error, addresses) => {
  const answer: LookupAnswer = error ? { code: error.code, message: error.message } : { addresses };
  process.send?.(answer);
});
