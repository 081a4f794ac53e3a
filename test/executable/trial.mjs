// Checks an executable on its own system for a release: it starts, fetches a token, and with --keychain it stores a
// client in the keychain and removes it.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';

const [file = '', option] = process.argv.slice(2);
const executable = resolve(file);

/** @type {{ url: string | undefined, body: Record<string, string> }[]} */
const requests = [];
const server = createServer(async (request, response) => {
  requests.push({ url: request.url, body: Object.fromEntries(new URLSearchParams(await text(request))) });
  const token = { access_token: `tried-${requests.length}`, token_type: 'Bearer', expires_in: 3600 };
  response.setHeader('content-type', 'application/json').end(JSON.stringify(token));
});
await once(server.listen(0, '127.0.0.1'), 'listening');
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
const home = mkdtempSync(join(tmpdir(), 'gwtoken-try-'));
const client = { GWTOKEN_CLIENT_ID: 'tried', GWTOKEN_CLIENT_SECRET: 'tried-secret' };
const settings = {
  GWTOKEN_REGION: 'eu',
  GWTOKEN_AUTH_URL: `http://127.0.0.1:${port}`,
  GWTOKEN_CONFIG_DIR: join(home, 'config'),
  GWTOKEN_CACHE_DIR: join(home, 'cache'),
};

/** @param {string[]} args @param {Record<string, string>} [more] @param {string} [stdin] */
async function gwtoken(args, more = {}, stdin = '') {
  const running = promisify(execFile)(executable, args, { env: { ...process.env, ...settings, ...more } });
  // Ignores EPIPE: the exit code of a program that does not read its stdin shows the fault.
  running.child.stdin?.on('error', () => {}).end(stdin);
  return (await running).stdout.trim();
}

/** @param {string} what @param {unknown} got @param {unknown} expected */
function check(what, got, expected) {
  if (JSON.stringify(got) !== JSON.stringify(expected))
    throw new Error(`${what}: ${JSON.stringify(got)} instead of ${JSON.stringify(expected)}`);
  console.log(`${what}: ${JSON.stringify(got)}`);
}

try {
  check('--version', /^\d+\.\d+\.\d+(-\S+)?$/.test(await gwtoken(['--version'])), true);
  check('get', await gwtoken(['get'], client), 'tried-1');
  const form = { client_id: 'tried', client_secret: 'tried-secret', grant_type: 'client_credentials' };
  check('the request', requests, [{ url: '/oauth2/token', body: form }]);
  if (option === '--keychain') {
    // Uses a separate profile, so that the machine's own clients stay unchanged.
    const profile = ['--profile', 'try-executable'];
    await gwtoken(['login', ...profile, '--client-id', 'kept', '--secret-stdin'], {}, 'kept-secret\n');
    check('get from the keychain', await gwtoken(['get', '--fresh', ...profile]), 'tried-3');
    check('the secret from the keychain', requests.at(-1)?.body['client_secret'], 'kept-secret');
    await gwtoken(['logout', '--yes', ...profile]);
    const gone = await gwtoken(['get', ...profile]).catch(({ code }) => code);
    check('get after logout ends with', gone, 4);
  }
} finally {
  server.close();
  rmSync(home, { recursive: true, force: true });
}
