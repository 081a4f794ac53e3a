/**
 * Entry point of the standalone executable: the program itself, or one of its children, which are separate
 * files in the npm package. Only a process that `fork()` started has a channel: a child's argument typed by
 * hand is unknown.
 */
import { KEYCHAIN_CHILD, LOOKUP_CHILD } from '../src/system/form';

if (process.argv[2] === KEYCHAIN_CHILD && process.send) void import('../src/system/keychain/child');
else if (process.argv[2] === LOOKUP_CHILD && process.send) void import('../src/system/wire/lookup-child');
else void import('./gwtoken');
