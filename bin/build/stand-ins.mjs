// Code of packages that gwtoken does not use costs time at each start, and some does the wrong thing here.
import { join } from 'node:path';

const EMPTY = '\0empty';
/**
 * Imports that are replaced: the directory that imports them, their names, and what stands for them.
 * @type {readonly (readonly [importer: string, names: RegExp, replacement: string])[]}
 */
const STAND_INS = [
  // Schemas, which gwtoken does not use, are three quarters of conf's size.
  ['node_modules/conf', /^ajv(-formats)?(\/|$)/, EMPTY],
  ['node_modules/conf', /^(atomically|node:process)$/, join(import.meta.dirname, 'conf-writer.ts')],
  // commander would load it at every start, for subcommands that are separate programs.
  ['node_modules/commander', /^node:child_process$/, EMPTY],
  ['src', /^undici$/, join(import.meta.dirname, 'undici.cjs')],
  // undici uses these for a class of bodies, a default limit and HTTP/2. Without use in gwtoken, they take
  // a tenth of a cold `get` over http. test/package/package.test.ts checks their absence.
  ['node_modules/undici', /^(node:http|\.\/client-h2\.js)$/, EMPTY],
];

/** @type {import('rolldown').Plugin} */
export const withStandIns = {
  name: 'with-stand-ins',
  resolveId(id, importer = '') {
    const path = importer.replaceAll('\\', '/');
    return STAND_INS.find(([from, names]) => path.includes(`/${from}/`) && names.test(id))?.[2];
  },
  load: (id) => (id === EMPTY ? 'module.exports = {};' : undefined),
};
