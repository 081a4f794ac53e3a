/** What the system refuses to a process that has reached a limit of its own: neither a bug nor anybody else's fault. */
import { GwtokenError, messageOf, systemCode } from './errors';

type Limit = readonly [which: RegExp, says: string, hint: string];

/** By the system's code and the call that failed, or by V8's words where it can get no memory. */
const LIMITS: readonly Limit[] = [
  [/^E[MN]FILE /, 'no more files can be opened', 'raise the limit: ulimit -n 1024'],
  [
    /^EAGAIN spawn|^EAGAIN fork/,
    'no more processes can be started',
    "raise the user's limit: ulimit -u 4096, or end other programs",
  ],
  [
    /WebAssembly.*Out of memory/i,
    'no more memory can be reserved',
    'raise the limit: ulimit -v unlimited; or run with NODE_OPTIONS=--disable-wasm-trap-handler',
  ],
  [/^ENOMEM /, 'there is no more memory', 'raise the limit: ulimit -v unlimited; or end other programs'],
];

/** The error for it, of kind `local`; undefined for anything else. */
export function limitReached(error: unknown): GwtokenError | undefined {
  if (!(error instanceof Error) || error instanceof GwtokenError) return undefined;
  const { syscall = '' } = error as NodeJS.ErrnoException;
  const code = systemCode(error);
  const detail = messageOf(error);
  const found = LIMITS.find(([which]) => which.test(`${code} ${syscall} ${detail}`));
  if (found === undefined) return undefined;
  const [, says, hint] = found;
  const where = code === undefined ? '' : ` (${code})`;
  return new GwtokenError('local', `the system's limit for this process is reached: ${says}${where}`, {
    hints: [hint],
    cause: error,
    detail,
  });
}
