/** Appends to a file that somebody else made and reads: never creates it. */
import { appendFileSync, closeSync, constants, openSync, readFileSync, statSync } from 'node:fs';
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
    // 'a' would create it.
    file = openSync(path, constants.O_WRONLY | constants.O_APPEND);
    appendFileSync(file, endsLine(path) ? text : `\n${text}`);
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

/** What another step wrote without a line end would swallow the name of the first variable, and show its value. */
function endsLine(path: string): boolean {
  const text = readFileSync(path);
  return text.length === 0 || text.at(-1) === 0x0a;
}
