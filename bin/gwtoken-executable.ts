/**
 * Entry point of the standalone executable: the program, or one of its children, which are files of their own
 * in the npm package. Only `fork()` gives a process a channel: nobody starts a child by hand.
 */
import { KEYCHAIN_CHILD, LOOKUP_CHILD } from '../src/system/form';

if (process.argv[2] === KEYCHAIN_CHILD && process.send) void import('../src/system/keychain/child');
else if (process.argv[2] === LOOKUP_CHILD && process.send) void import('../src/system/wire/lookup-child');
else void import('./gwtoken');
