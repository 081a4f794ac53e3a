/**
 * What differs between the npm package and the standalone executable. The build defines `__EXECUTABLE__`, and the
 * minifier drops the other branch.
 */
declare const __EXECUTABLE__: boolean;

/** Returns the form and its runtime, as in `npm package with Node v20.20.2`. */
export function formOf({ version, versions }: NodeJS.Process): string {
  return __EXECUTABLE__
    ? `standalone executable with Bun ${versions['bun']}`
    : `npm package with Node ${version}`;
}

/** What `fork()` starts for each child: a file of the package, or the executable itself with this first argument. */
export const LOOKUP_CHILD = __EXECUTABLE__
  ? '--the-lookup-child-of-gwtoken'
  : `${__dirname}/lookup-child.cjs`;
export const KEYCHAIN_CHILD = __EXECUTABLE__
  ? '--the-keychain-child-of-gwtoken'
  : `${__dirname}/keychain-child.cjs`;
