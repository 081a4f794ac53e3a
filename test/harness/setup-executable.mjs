export { buildExecutables as setup } from './builds.mjs';
