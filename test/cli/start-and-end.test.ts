/** The npm package's program: which Node starts it, and how it ends if nothing more can happen. */
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

test('exits with 1 if the event loop runs dry', async () => {
  const endpoint = await startTokenEndpoint();
  const script = `require('node:net').Socket.prototype.connect = function () { return this; };
    const { setTimeout } = globalThis;
    globalThis.setTimeout = (...call) => setTimeout(...call).unref();`;
  const result = await runAfter(script, ['get'], inVariables(endpoint.authUrl));
  expect(result).toMatchObject({ code: 1, stdout: '' });
});

test.each(['18.20.8', '20.18.3'])('rejects Node %s as too old', async (version) => {
  const versions = `{ ...process.versions, node: '${version}' }`;
  const script = `Object.defineProperty(process, 'versions', { value: ${versions} });
    Object.defineProperty(process, 'version', { value: 'v${version}' });`;
  expect(await runAfter(script, ['--version'])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: `gwtoken: error: gwtoken needs Node.js 20.19 or later; this is v${version}\n`,
  });
});
