/**
 * Where the standalone executable begins: as the program, or as the keychain's child, which in the npm package is a file
 * of its own. Only what `fork()` started has a channel: whoever types the child's argument is told that it is unknown.
 */
import { KEYCHAIN_CHILD } from './system/form.executable';

if (process.argv[2] === KEYCHAIN_CHILD && process.send) void import('./system/keychain/child');
else void import('./main');
