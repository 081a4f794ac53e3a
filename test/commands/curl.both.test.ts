/** `gwtoken curl`: the requests that reach the gateway, and those that gwtoken refuses. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { listen } from '../harness/endpoints/listen';
import { startTokenEndpoint, type TokenEndpoint, tokenReply } from '../harness/endpoints/token-endpoint';
import { inVariables } from '../harness/homes/client';
import { filesBelow } from '../harness/homes/files';
import { type Home, openHome } from '../harness/homes/home';
import { inside } from '../harness/homes/in-process';

const TOKEN = 'tok"\\ $(id) `id` $HOME';

describe('gwtoken curl', () => {
  let endpoint: TokenEndpoint;
  let home: Home;
  /** URL of a gateway. */
  let url: string;
  /** The requests that reached the gateway. */
  let seen: { authorization: string | undefined; body: string }[];
  beforeEach(async ({ needs }) => {
    needs('posix', 'curl');
    endpoint = await startTokenEndpoint(() => tokenReply(TOKEN));
    home = openHome(inVariables(endpoint.authUrl));
    seen = [];
    const gateway = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      seen.push({ authorization: request.headers.authorization, body });
      response.writeHead(request.url === '/missing' ? 404 : 200).end('the reply');
    });
    ({ url } = await listen(gateway));
  });

  test('sends the token and passes stdin, stdout and arguments to curl', async () => {
    const args = ['curl', '--region', 'eu', `${url}/a`, '-sS', '-d', '@-', '-H', 'x: --fresh'];
    expect(await home.gwtoken(args, { stdin: 'from stdin' })).toMatchObject({
      code: 0,
      stdout: 'the reply',
      stderr: '',
    });
    expect(seen).toEqual([{ authorization: `Bearer ${TOKEN}`, body: 'from stdin' }]);
  });

  test('reads its own flags only before the words of curl', async () => {
    expect((await home.gwtoken(['curl', '-r', 'eu', `${url}/missing`, '-sfX', 'POST'])).code).toBe(22);
    expect((await home.gwtoken(['curl', '-v', '--', `${url}/missing`, '-sf'])).code).toBe(22);
    expect(seen).toHaveLength(2);
    // curl does not know --fresh.
    expect((await home.gwtoken(['curl', url, '--fresh'])).code).toBe(2);
  });

  test.each<[string, (host: string) => string[]]>([
    ['a plain http URL', (host) => [`http://${host}/`]],
    ['a second URL without a scheme', (host) => [`https://${host}/`, `${host}/x`]],
    ['a scheme in a glob', (host) => [`https://${host}/`, `{http}://${host}/`]],
    ['a URL behind an option', (host) => ['-XPOST', `http://${host}/`]],
    ['a host behind a loopback address', (host) => [`http://127.0.0.1\\@${host}/`]],
    ['a host behind a loopback address and a port', (host) => [`http://127.0.0.1:80@${host}/`]],
    ['a file of options', (host) => [`https://${host}/`, '-K', 'urls']],
  ])('sends no token unencrypted to %s', async (_, argsFor) => {
    const { port } = new URL(url);
    const host = `gateway.test:${port}`;
    writeFileSync(join(home.dir, 'urls'), `url = "http://${host}/"\n`);
    const args = [...argsFor(host), '-m', '5', '--resolve', `${host}:127.0.0.1`];
    expect((await home.gwtoken(['curl', ...args], { cwd: home.dir })).code).toBeGreaterThan(0);
    expect(seen).toEqual([]);
  });

  test('uses no proxy for a loopback address', async () => {
    const proxied: string[] = [];
    const proxy = await listen(
      createServer((request, response) => {
        proxied.push(String(request.url));
        response.end();
      }),
    );
    const env = { http_proxy: proxy.url, ALL_PROXY: proxy.url, HTTPS_PROXY: '', https_proxy: '' };
    // The @ is part of the query, not the end of a user name.
    const withAt = `${url}/a?mail=me@a.test`;
    expect(await home.gwtoken(['curl', withAt, '-sS'], { env })).toMatchObject({ stdout: 'the reply' });
    expect(seen).toHaveLength(1);
    expect(proxied).toEqual([]);
  });

  test('shows the token in no argument, variable or file', async ({ needs }) => {
    needs('linux');
    const bin = join(home.dir, 'bin');
    mkdirSync(bin);
    const spied = join(home.dir, 'spied');
    const spy = `#!/bin/sh
      { tr '\\0' '\\n' </proc/self/cmdline; env; readlink /proc/self/fd/3; } >'${spied}'
      sleep 0.2
      cat /dev/fd/3 >&2\n`;
    writeFileSync(join(bin, 'curl'), spy, { mode: 0o755 });
    const env = { PATH: `${bin}:${process.env['PATH']}`, GWTOKEN_NO_CACHE: '1', TMPDIR: home.dir };
    const { code, stderr } = await home.gwtoken(['curl', url], { env });
    expect({ code, stderr: stderr.trimEnd() }).toEqual({
      code: 0,
      stderr: expect.stringContaining(
        `header = "Authorization: Bearer ${TOKEN.replace(/["\\]/g, '\\$&')}"\n`,
      ),
    });
    const text = readFileSync(spied, 'utf8');
    expect(text).not.toContain('tok"');
    expect(text).not.toContain('GWTOKEN_CLIENT');
    expect(text).toMatch(/\npipe:\[\d+\]\n$/);
    expect([...filesBelow(home.dir).values()].filter((bytes) => bytes.includes('$(id)'))).toEqual([]);
  });

  test('exits with 127 if curl is not installed', async () => {
    expect(await home.gwtoken(['curl', url], { env: { PATH: home.dir } })).toMatchObject({
      code: 127,
      stderr: 'gwtoken: error: command not found: "curl"\nhint: install it, or add its directory to PATH\n',
    });
  });

  test('exits with 125 and runs no curl if it gets no token', async () => {
    endpoint.answer = () => ({ status: 401, body: { error: 'invalid_client' } });
    expect((await home.gwtoken(['curl', url])).code).toBe(125);
    expect(seen).toEqual([]);
  });
});

test('gwtoken curl passes the header and the allowed protocols to curl through -K', async () => {
  const gw = inside();
  let ran: unknown[] = [];
  gw.own = {
    runProgram: async (command, args, { text }) => {
      ran = [command, ...args, text];
      return { code: 3, signal: null };
    },
  };
  gw.env['GITHUB_ACTIONS'] = 'true';
  const args = ['http://[::1]:8/x', '-d', '@file'];
  expect(await gw.cli(['curl', ...args])).toEqual({
    code: 3,
    stdout: '',
    stderr: '\n::add-mask::token-1\n',
  });
  const config = 'header = "Authorization: Bearer token-1"\nproto-default = "https"\n';
  const local = 'proto = "=http,https"\nnoproxy = "*"\n';
  expect(ran).toEqual(['curl', ...args, { option: '-K', at: 0, content: config + local }]);
  // 127.999.0.1 is not an IP address: DNS may resolve it to any host.
  await gw.cli(['curl', 'http://127.999.0.1/']);
  expect(ran.at(-1)).toMatchObject({ content: expect.stringContaining('proto = "=https"\n') });
});
