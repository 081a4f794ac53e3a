// Starts demo.ts in this very process, so that a signal reaches it, and without the cache that tsx otherwise
// leaves in the temporary folder.
import { buildPackage } from '../../harness/builds.mjs';

buildPackage();
process.env['TSX_DISABLE_CACHE'] = '1';
const tsx = await import('tsx/cjs/api');
tsx.require('./demo.ts', import.meta.url);
