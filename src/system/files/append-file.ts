/** Appends to a file that somebody else made and reads: never creates, truncates or leaves half a text in it. */
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs';
import { GwtokenError, messageOf, systemCode } from '../../errors';

/** @throws GwtokenError `usage` for a file that is not there; the function returned, `local` */
export function openAppender(path: string, variable: string): (text: string) => void {
  const problem = problemWith(path);
  if (problem === undefined) return (text) => append(path, text, variable);
  throw new GwtokenError('usage', `${variable} names ${path}, which ${problem}`, {
    hints: [`leave ${variable} as the runner has set it for this step`],
  });
}

function problemWith(path: string): string | undefined {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return 'is not there';
    return stat.isFile() ? undefined : 'is not a file';
  } catch (error) {
    return `cannot be looked at (${systemCode(error) ?? messageOf(error)})`;
  }
}

function append(path: string, text: string, variable: string): void {
  let file: number | undefined;
  try {
    // 'a+' would create it.
    file = openSync(path, constants.O_RDWR | constants.O_APPEND);
    const { size } = fstatSync(file);
    const bytes = Buffer.from(endsLine(file, size) ? text : `\n${text}`);
    const written = writeOnce(file, bytes, size);
    if (written < bytes.length) throw new Error(`only ${written} of ${bytes.length} bytes fit`);
  } catch (error) {
    throw new GwtokenError(
      'local',
      `${path} (from ${variable}) cannot be appended to (${systemCode(error) ?? messageOf(error)})`,
      { hints: ['make room on its disk, or see that this user may write to it'], cause: error },
    );
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** What was written of it, and that is taken back again unless it is all. */
function writeOnce(file: number, bytes: Buffer, size: number): number {
  const written = writeSync(file, bytes);
  if (written < bytes.length) ftruncateSync(file, size);
  return written;
}

function endsLine(file: number, size: number): boolean {
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  readSync(file, last, 0, 1, size - 1);
  return last[0] === 0x0a;
}
