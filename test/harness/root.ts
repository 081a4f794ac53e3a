import { dirname } from 'node:path';

/** The directory of package.json. */
export const ROOT = dirname(dirname(import.meta.dirname));
