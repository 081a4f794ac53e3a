/** The FILE of `--output`. */
import { usage } from '../errors';
import type { World } from '../world';

/** Returns whether this FILE stands for stdout, as no FILE does. */
export function isStdout(file: string | undefined): file is '-' | undefined {
  return file === undefined || file === '-';
}

/**
 * Returns the function that writes to FILE or to stdout. Throws `usage` for an empty name, and for a format's
 * name: in aws and gcloud `--output json` is the format.
 */
export function outputTo(
  file: string | undefined,
  formats: readonly string[],
  { stdout, replaceFile }: World,
): (text: string) => void {
  if (file === '') throw usage('--output is empty', ['use a file, or - for stdout']);
  if (isStdout(file)) return (text) => stdout.write(text);
  if (formats.includes(file))
    throw usage(`--output takes a file, and ${file} is a format`, [
      `use --format ${file}, or --output ./${file}`,
    ]);
  return (text) => replaceFile(file, text);
}
