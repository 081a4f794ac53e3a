/**
 * Entry point of the standalone executable: the program, or the keychain's child, which is a file of its own
 * in the npm package. Only `fork()` gives a process a channel: nobody starts the child by hand.
 */
import { KEYCHAIN_CHILD } from '../src/system/form';

if (process.argv[2] === KEYCHAIN_CHILD && process.send) void import('../src/system/keychain/child');
else void import('./gwtoken');
