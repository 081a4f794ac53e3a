/**
 * The differences between the npm package and the standalone executable. The build defines `__EXECUTABLE__`,
 * and the minifier removes the branches of the other form.
 */
import { hmac as noble } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';

declare const __EXECUTABLE__: boolean;

export function describeBuild({ version, versions }: NodeJS.Process): string {
  return __EXECUTABLE__
    ? `standalone executable with Bun ${versions['bun']}`
    : `npm package with Node ${version}`;
}

/** The module that `fork()` runs: a file of the package, or a first argument that the executable knows. */
export const KEYCHAIN_CHILD = __EXECUTABLE__
  ? '--the-keychain-child-of-gwtoken'
  : `${__dirname}/keychain-child.cjs`;

declare const Bun: {
  readonly CryptoHasher: new (
    algorithm: 'sha256',
    key: Uint8Array,
  ) => { update(text: string): { digest(encoding: 'hex'): string } };
};

/**
 * Returns the HMAC-SHA-256 of a text in hexadecimal, without node:crypto: that module loads Node's streams,
 * which take a third of a start on the quick path.
 */
export function hmac(text: string, key: Uint8Array): string {
  if (__EXECUTABLE__) return new Bun.CryptoHasher('sha256', key).update(text).digest('hex');
  return Buffer.from(noble(sha256, key, Buffer.from(text))).toString('hex');
}
