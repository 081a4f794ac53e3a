/** Failures because the process has reached a system limit: neither a bug nor anybody else's fault. */
import { GwtokenError, messageOf, systemCode } from './errors';

type Limit = readonly [which: RegExp, says: string, hint: string];

/** By the system's code and the call that failed, or by V8's message where it gets no memory. */
const LIMITS: readonly Limit[] = [
  [/^E[MN]FILE /, 'cannot open more files', 'to raise the limit, run: ulimit -n 1024'],
  [
    /^EAGAIN spawn|^EAGAIN fork/,
    'cannot start more processes',
    'to raise the limit, run: ulimit -u 4096; or end other programs',
  ],
  [
    /WebAssembly.*Out of memory/,
    'cannot reserve more memory',
    'to raise the limit, run: ulimit -v unlimited; or set NODE_OPTIONS=--disable-wasm-trap-handler',
  ],
  [/^ENOMEM /, 'out of memory', 'to raise the limit, run: ulimit -v unlimited; or end other programs'],
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
  return new GwtokenError('local', `${says}: a system limit is reached${where}`, {
    hints: [hint],
    cause: error,
    detail,
  });
}
