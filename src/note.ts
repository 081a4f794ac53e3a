/** gwtoken's own lines on stderr. */
import { oneLine } from './text';

interface Stderr {
  readonly stderr: { write(text: string): void };
}

/** Writes a line to stderr and ignores errors such as a closed stderr. The line must not contain a secret. */
export function note({ stderr }: Stderr, line: string): void {
  try {
    stderr.write(`gwtoken: ${oneLine(line)}\n`);
  } catch {}
}

export function warn(world: Stderr, text: string): void {
  note(world, `warning: ${text}`);
}
