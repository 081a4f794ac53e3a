/**
 * What differs between the npm package and the standalone executable, in the program itself. The build of the
 * executable uses each NAME.executable.ts instead of NAME.ts; nothing else is different.
 */

/** The form and its runtime, as in `npm package with Node v20.20.2`. */
export function formOf({ version }: NodeJS.Process): string {
  return `npm package with Node ${version}`;
}

/** What `fork()` starts src/system/wire/lookup-child.ts with. */
export const LOOKUP_CHILD = `${__dirname}/lookup-child.cjs`;

/** What `fork()` starts the keychain's child with: its own file. */
export const KEYCHAIN_CHILD = `${__dirname}/keychain-child.cjs`;

/** npm leaves out an optional package that it cannot install. */
export function isKeytarInstalled(): boolean {
  try {
    require.resolve('keytar');
    return true;
  } catch {
    return false;
  }
}
