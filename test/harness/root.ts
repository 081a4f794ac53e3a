import { dirname } from 'node:path';

/** The folder of package.json. */
export const ROOT = dirname(dirname(import.meta.dirname));
