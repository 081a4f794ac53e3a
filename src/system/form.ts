/**
 * What the npm package has otherwise than the standalone executable, on the side of the program itself. The build of the
 * executable takes each NAME.executable.ts in the place of NAME.ts, and nothing else is different between the two.
 */

/** The form and what runs it, as in `npm package with Node v20.20.2`. */
export function formOf({ version }: NodeJS.Process): string {
  return `npm package with Node ${version}`;
}

/** What `fork()` starts src/system/wire/lookup-child.ts with. */
export const LOOKUP_CHILD = `${__dirname}/lookup-child.cjs`;

/** What `fork()` starts the keychain's child with: a file of its own. */
export const KEYCHAIN_CHILD = `${__dirname}/keychain-child.cjs`;
