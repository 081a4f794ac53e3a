/**
 * Entry point of the standalone executable. It runs gwtoken or the keychain's child, which is a separate file
 * in the npm package. Only `fork()` creates `process.send`, so no user can start the child by accident.
 */
import { KEYCHAIN_CHILD } from '../src/system/distribution';

if (process.argv[2] === KEYCHAIN_CHILD && process.send) void import('../src/system/keychain/child');
else void import('./gwtoken');
