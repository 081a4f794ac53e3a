export { buildPackage as setup } from './builds.mjs';
