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

declare const Bun: {
  readonly CryptoHasher: new (
    algorithm: 'sha256',
    key?: Uint8Array,
  ) => { update(text: string): { digest(encoding: 'hex'): string } };
};

/** SHA-256 in hexadecimal; with a key, HMAC. In the executable loading node:crypto would take a quarter of a warm run. */
export function sha256(
  { getBuiltinModule }: Pick<NodeJS.Process, 'getBuiltinModule'>,
  text: string,
  key?: Uint8Array,
): string {
  if (__EXECUTABLE__) return new Bun.CryptoHasher('sha256', key).update(text).digest('hex');
  // Loaded on demand: it costs 3 ms.
  const { createHash, createHmac } = getBuiltinModule('node:crypto');
  return (key === undefined ? createHash('sha256') : createHmac('sha256', key)).update(text).digest('hex');
}
