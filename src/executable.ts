/**
 * Where the standalone executable begins: as the program, or as one of its children, which in the npm package are files of
 * their own. Only what `fork()` started has a channel: whoever types a child's argument is told that it is unknown.
 */
import { KEYCHAIN_CHILD, LOOKUP_CHILD } from './system/form.executable';

if (process.argv[2] === KEYCHAIN_CHILD && process.send) void import('./system/keychain/child');
else if (process.argv[2] === LOOKUP_CHILD && process.send) void import('./system/wire/lookup-child');
else void import('./main');
