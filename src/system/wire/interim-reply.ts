/**
 * A `100 Continue` that nobody asked for: some servers and proxies send one to every POST, RFC 9110 section 15.2 has
 * a client bear it, and undici breaks off. So it is taken out of what undici reads; it reads with `read()` alone.
 */
import type { Socket } from 'node:net';

/** Takes every 100 reply before the final one out of the bytes that `read()` gives. */
export function skipContinue(socket: Socket): void {
  const { read } = socket;
  let held: Buffer | undefined;
  socket.read = (size) => {
    for (;;) {
      const chunk: Buffer | null = read.call(socket, size);
      if (chunk === null) return null;
      held = held === undefined ? chunk : Buffer.concat([held, chunk]);
      const rest = afterContinue(held);
      if (rest === undefined && held.length < LIMIT) continue;
      socket.read = read;
      return rest ?? held;
    }
  };
}

/** More than any interim reply has: what is held back must not grow for ever. */
const LIMIT = 64 * 1024;
const CONTINUE = 'HTTP/1.1 100';

/** What follows the 100 replies that the bytes begin with; undefined while that cannot be told yet. */
function afterContinue(bytes: Buffer): Buffer | undefined {
  let rest = bytes;
  for (;;) {
    const start = rest.subarray(0, CONTINUE.length).toString('latin1');
    if (start !== CONTINUE) return CONTINUE.startsWith(start) ? undefined : rest;
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) return undefined;
    rest = rest.subarray(end + 4);
  }
}
