/**
 * A separate program: looks up one name for its parent, which kills it when the time is up. A lookup inside Node cannot
 * be cancelled, and would keep gwtoken alive past its timeout.
 */
import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';

/** The request, over the IPC channel. */
export interface LookupRequest {
  readonly hostname: string;
  readonly options: LookupOptions;
}
export type LookupAnswer =
  | { readonly addresses: LookupAddress[] }
  /** Node's code: ENOTFOUND, EAI_AGAIN. */
  | { readonly code: string | undefined; readonly message: string };

// process.exit() would wait for the thread that waits for DNS.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
process.once('message', ({ hostname, options }: LookupRequest) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const answer: LookupAnswer = error ? { code: error.code, message: error.message } : { addresses };
    process.send?.(answer);
  });
});
