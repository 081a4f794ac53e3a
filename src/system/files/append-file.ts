/** Appends to a file that another program created and reads: never creates it. */
import { appendFileSync, closeSync, constants, openSync, readFileSync, statSync } from 'node:fs';
import { GwtokenError, quietly, usage } from '../../errors';
import { systemCode } from '../../system-errors';

/** @throws GwtokenError `usage` if the file does not exist; the returned function throws `local` */
export function openAppender(path: string, variable: string): (text: string) => void {
  if (quietly(() => statSync(path).isFile())) return (text) => append(path, text, variable);
  throw usage(
    `${variable} points to ${path}, which is not a file`,
    `do not change ${variable}; the runner sets it for each step`,
  );
}

function append(path: string, text: string, variable: string): void {
  let file: number | undefined;
  try {
    // 'a' would create it.
    file = openSync(path, constants.O_WRONLY | constants.O_APPEND);
    appendFileSync(file, endsLine(path) ? text : `\n${text}`);
  } catch (error) {
    throw new GwtokenError('local', `cannot append to ${path} (from ${variable}): ${systemCode(error)}`, {
      hints: ["check the free disk space and the file's permissions"],
      cause: error,
    });
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/**
 * Tells if the file is empty or ends with a line end: else our first variable would continue its last line.
 */
function endsLine(path: string): boolean {
  const text = readFileSync(path);
  return text.length === 0 || text.at(-1) === 0x0a;
}
