/** The FILE of `--output`. */
import { usage } from '../errors';
import type { World } from '../world';

/** Returns whether this FILE stands for stdout, as no FILE does. */
export function isStdout(file: string | undefined): file is '-' | undefined {
  return file === undefined || file === '-';
}

/** Returns the function that writes to FILE or to stdout. Throws `usage` for an empty name. */
export function outputTo(
  file: string | undefined,
  { stdout, replaceFile }: Pick<World, 'stdout' | 'replaceFile'>,
): (text: string) => void {
  if (file === '') throw usage('--output is empty', ['use a file, or - for stdout']);
  if (isStdout(file)) return (text) => stdout.write(text);
  return (text) => replaceFile(file, text);
}
