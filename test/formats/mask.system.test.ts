/** Under GitHub Actions a token is masked before it is let out, on stderr: stdout may be inside `$(…)`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { maskToken } from '../../src/formats/github';
import { type IdentityServer, startIdentityServer } from '../harness/endpoints/identity-server';
import { startTokenEndpoint, tokenReply } from '../harness/endpoints/token-endpoint';
import { inVariables } from '../harness/homes/client';
import { type Home, openHome } from '../harness/homes/home';

let identity: IdentityServer;
let home: Home;
beforeAll(async () => {
  identity = await startIdentityServer({ scope: 'read write' });
  home = openHome(inVariables(identity.authUrl));
  for (const name of ['GITHUB_ENV', 'GITHUB_OUTPUT']) {
    home.env[name] = join(home.dir, name);
    writeFileSync(join(home.dir, name), '');
  }
});

const COMMANDS: readonly (readonly string[])[] = [
  ['get'],
  ['get', '--format', 'json'],
  ['get', '--format', 'header'],
  ['get', '--format', 'curl'],
  ['get', '--fresh'],
  ['env'],
  ...['fish', 'csh', 'powershell', 'cmd', 'nu', 'elvish', 'json', 'dotenv', 'docker', 'azure'].map(
    (format) => ['env', '--format', format],
  ),
  ['env', '--format', 'github-env'],
  ['env', '--format', 'github-output'],
  ['exec', '--', process.execPath, '-p', 'process.env.GWTOKEN_ACCESS_TOKEN'],
  ['exec', '--token-file', '--', process.execPath, '-p', 'process.env.GWTOKEN_SCOPE'],
];

/** Expiry as it stands in any format: two calls may count a second apart. */
const still = (text: string): string =>
  text
    .replace(/"expires_in":\d+/, '"expires_in":0')
    .replaceAll(/[\w-]{43}/g, 'TOKEN')
    .replace(/"source":"\w+"/, '');

describe.each(COMMANDS)('%s %s %s', (...args) => {
  test('writes the mask first, and the same as ever to stdout', async () => {
    const plain = await home.gwtoken(args, { env: { GITHUB_ACTIONS: 'TRUE' } });
    expect(plain).toMatchObject({ code: 0, stderr: '' });
    const masked = await home.gwtoken(args, { env: { GITHUB_ACTIONS: 'true' } });
    expect(masked).toMatchObject({ code: 0, stderr: `::add-mask::${identity.issued.at(-1)}\n` });
    expect(still(masked.stdout)).toBe(still(plain.stdout));
  });

  test.skipIf(process.platform === 'win32')(
    'writes it before all else where both streams are one',
    async () => {
      const options = { env: { GITHUB_ACTIONS: 'true' }, wrapper: ['sh', '-c', 'exec "$@" 2>&1', 'sh'] };
      const { code, stdout } = await home.gwtoken(args, options);
      expect(code).toBe(0);
      expect(stdout).toMatch(new RegExp(`^::add-mask::${identity.issued.at(-1)}\n`));
    },
  );

  test('writes none when it fails', async () => {
    const env = { GITHUB_ACTIONS: 'true', GWTOKEN_CLIENT_SECRET: 'wrong' };
    const result = await home.gwtoken(args, { env });
    expect(result.code).toBe(args[0] === 'exec' ? 125 : 3);
    expect(result.stderr).toContain('gwtoken: error: ');
    expect(result.stderr).not.toContain('::');
  });
});

test.each(['', 'false', '1'])('GITHUB_ACTIONS=%s is not GitHub', async (value) => {
  const result = await home.gwtoken(['get'], { env: { GITHUB_ACTIONS: value } });
  expect(result).toMatchObject({ code: 0, stderr: '' });
});

test('each renewal of a token file is masked before it is in the file', async () => {
  const endpoint = await startTokenEndpoint((post) => tokenReply(`token-${post}%`, { expires_in: 3 }));
  // Reads the file until another token is in it, and says which it has seen.
  const script = `
    const { readFileSync } = require('node:fs');
    const read = () => readFileSync(process.env.GWTOKEN_TOKEN_FILE, 'utf8');
    const first = read();
    setInterval(() => {
      const now = read();
      if (now === first) return;
      process.stderr.write('seen ' + first + ' ' + now + '\\n');
      process.exit();
    }, 20);`;
  const env = { GITHUB_ACTIONS: 'true', GWTOKEN_AUTH_URL: endpoint.authUrl };
  const result = await home.gwtoken(['exec', '--token-file', '--', process.execPath, '-e', script], { env });
  expect(result).toMatchObject({ code: 0, stdout: '' });
  expect(result.stderr).toBe('::add-mask::token-1%25\n::add-mask::token-2%25\nseen token-1% token-2%\n');
});

test('what only asks for a token masks none', async () => {
  const result = await home.gwtoken(['status', '--check'], { env: { GITHUB_ACTIONS: 'true' } });
  expect(result.code).toBe(0);
  expect(result.stdout + result.stderr).not.toContain('::');
});

test('a token with a percent sign is escaped as the runner undoes it', () => {
  let written = '';
  const stderr = { isTTY: () => false, write: (text: string) => (written += text) };
  maskToken('100%25%0A', { env: { GITHUB_ACTIONS: 'true' }, stderr });
  expect(written).toBe('::add-mask::100%2525%250A\n');
});
