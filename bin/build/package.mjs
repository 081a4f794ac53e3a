// Bundles src/ into dist/ as CommonJS: an ES module entry costs 4 ms at every start on Node 20. Each dynamic
// import() starts a new file, so that only the sources decide which code is loaded late.
// keytar is not bundled: it is native and optional, and is loaded from node_modules when it is needed.
import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rolldown } from 'rolldown';
import { tsImport } from 'tsx/esm/api';
import { writeNotices } from './notices.mjs';
import { withStandIns } from './stand-ins.mjs';

export const ROOT = dirname(dirname(import.meta.dirname));
/** @type {{ name: string, version: string, description: string, repository?: { url: string } }} */
export const MANIFEST = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
/** What the programs know of their release. release.yml writes the repository into package.json. */
const RELEASE = { version: MANIFEST.version, repository: pageOf(MANIFEST.repository) };

/**
 * Groups of modules that are always loaded together, each bundled with its imports: each file costs 1 %
 * of the time that Node itself takes to start. The first is the whole quick path.
 */
export const GROUPS = [
  { name: 'program', test: /bin[\\/]gwtoken\.ts$/, priority: 3 },
  { name: 'cli', test: /src[\\/](cli[\\/]run|system[\\/]world)\.ts$/, priority: 1 },
  { name: 'get-token', test: /src[\\/]commands[\\/](get|env|selected-token)\.ts$/ },
  { name: 'http', test: /src[\\/]system[\\/]wire[\\/]wire\.ts$/ },
];

/** The files that other programs start or load by name. */
export const ENTRIES = {
  gwtoken: 'bin/gwtoken.ts',
  // A separate program. Its own comment explains why.
  'keychain-child': 'src/system/keychain/child.ts',
};

/**
 * Empties the npm package's directory and builds the package there. Resolves with rolldown's output.
 * @param {string} directory
 */
export async function buildPackage(directory) {
  const output = await bundleForNode(directory, ENTRIES);
  chmodSync(join(directory, 'gwtoken.cjs'), 0o755);
  const { manPage } = await tsImport('./man-page.ts', import.meta.url);
  writeFileSync(
    join(directory, 'gwtoken.1'),
    manPage({ ...MANIFEST, ...RELEASE }, new Date(sourceDate() * 1000)),
  );
  return output;
}

/**
 * Empties a directory and bundles a program for Node into it. Resolves with rolldown's output.
 * @param {string} directory
 * @param {Record<string, string>} input
 */
export const bundleForNode = (directory, input) =>
  bundle(directory, {
    input,
    external: [/^keytar\.node$/],
    define: { __EXECUTABLE__: 'false' },
    groups: GROUPS,
  });

/**
 * Empties a directory and bundles some entries of src/ into it, with the licences of the bundled
 * packages. Treats each warning of the bundler as an error.
 * @param {string} directory
 * @param {object} form
 * @param {Record<string, string>} form.input
 * @param {Record<string, string>} form.define
 * @param {import('rolldown').CodeSplittingGroup[]} form.groups modules that share a file
 * @param {RegExp[]} [form.external]
 * @param {import('rolldown').Plugin[]} [form.plugins]
 */
export async function bundle(directory, { input, define, groups, external = [], plugins = [] }) {
  rmSync(directory, { recursive: true, force: true });
  const build = await rolldown({
    cwd: ROOT,
    input,
    preserveEntrySignatures: 'allow-extension',
    platform: 'node',
    external,
    moduleTypes: { '.md': 'text' },
    transform: { define: { __RELEASE__: JSON.stringify(RELEASE), ...define }, target: 'node20' },
    plugins: [...plugins, withStandIns],
    onLog: (level, log, report) => report(level === 'warn' ? 'error' : level, log),
  });
  const { output } = await build.write({
    dir: directory,
    format: 'cjs',
    // An `import()` of Node's modules would load Node's loader of ES modules.
    dynamicImportInCjs: false,
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
    // V8 needs twice the space and more time for a source with any other character.
    charset: 'ascii',
    codeSplitting: { groups },
    minify: true,
  });
  await build.close();
  writeNotices(directory, output);
  return output;
}

/**
 * Returns the page of a repository; null if there is none.
 * @param {typeof MANIFEST.repository} repository
 */
export function pageOf(repository) {
  return repository?.url.replace(/^git\+|\.git$/g, '') ?? null;
}

/** Returns the time of the sources in seconds since the epoch: a commit always gives the same bytes. */
export function sourceDate() {
  const format = ['log', '-1', '--format=%ct'];
  const commit = spawnSync('git', format, { cwd: ROOT, encoding: 'utf8' }).stdout;
  return Number(process.env.SOURCE_DATE_EPOCH || commit) || Math.floor(Date.now() / 1000);
}
