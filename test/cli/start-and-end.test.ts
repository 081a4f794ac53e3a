/**
 * The npm package's program: which Node starts it, how it ends if nothing more can happen, and what it does in a
 * removed working directory. In such a directory, Bun ends the executable before gwtoken runs.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startTokenEndpoint } from '../harness/endpoints/token-endpoint';
import { inVariables } from '../harness/homes/client';
import { openHome } from '../harness/homes/home';

/** Runs a script in gwtoken's process before gwtoken starts. */
async function runAfter(script: string, args: readonly string[], variables: Record<string, string> = {}) {
  const home = openHome(variables);
  const file = join(home.dir, 'before.cjs');
  writeFileSync(file, script);
  return await home.gwtoken(args, { env: { NODE_OPTIONS: `--require=${file}`, GWTOKEN_NO_CACHE: '1' } });
}

test('gwtoken exits with 1 if the event loop runs dry', async () => {
  const endpoint = await startTokenEndpoint();
  const script = `require('node:net').Socket.prototype.connect = function () { return this; };
    const { setTimeout } = globalThis;
    globalThis.setTimeout = (...call) => setTimeout(...call).unref();`;
  const result = await runAfter(script, ['get'], inVariables(endpoint.authUrl));
  expect(result).toMatchObject({ code: 1, stdout: '' });
});

// The quick path, which loads least, must not work with some calls only.
test.each([
  ['18.20.8', ['--version']],
  ['20.18.3', ['config', 'path']],
])('gwtoken rejects Node %s as too old, with %j', async (version, args) => {
  const versions = `{ ...process.versions, node: '${version}' }`;
  const script = `Object.defineProperty(process, 'versions', { value: ${versions} });
    Object.defineProperty(process, 'version', { value: 'v${version}' });`;
  expect(await runAfter(script, args)).toMatchObject({
    code: 2,
    stdout: '',
    stderr: `gwtoken: error: gwtoken needs Node.js 20.19 or later; this is v${version}\n`,
  });
});

test('get prints a token in a working directory that was removed', async ({ needs }) => {
  needs('posix');
  const endpoint = await startTokenEndpoint();
  const home = openHome(inVariables(endpoint.authUrl));
  const wrapper = ['sh', '-c', 'mkdir removed && cd removed && rmdir ../removed && exec "$0" "$@"'];
  const result = await home.gwtoken(['get'], { cwd: home.dir, wrapper });
  expect(result).toMatchObject({ code: 0, stdout: 'token-1\n', stderr: '' });
});
