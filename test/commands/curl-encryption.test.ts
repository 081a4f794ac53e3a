/** curl itself, with the words and options that `gwtoken curl` gives it: where it sends the token. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { type Gateway, startGateway } from '../harness/endpoints/gateway';
import { type Inside, inside } from '../harness/homes/in-process';
import { runCommand } from '../harness/programs/program';

let gw: Inside;
let gateway: Gateway;
beforeEach(async ({ needs }) => {
  needs('posix', 'curl');
  gateway = await startGateway();
  gw = inside();
  gw.own = {
    async runProgram(command, words, { env, text }) {
      const { option, content } = text!;
      writeFileSync(join(gw.dir, 'options'), content);
      const args = [option, 'options', ...words];
      const { code } = await runCommand([command, ...args], {
        env: env as Record<string, string>,
        cwd: gw.dir,
      });
      return { code: code!, signal: null };
    },
  };
});

test.each<[string, (host: string) => string[]]>([
  ['a plain http URL', (host) => [`http://${host}/`]],
  ['a second URL without a scheme', (host) => [`https://${host}/`, `${host}/x`]],
  ['a scheme in a glob', (host) => [`https://${host}/`, `{http}://${host}/`]],
  ['a scheme in a glob behind a loopback URL', (host) => ['http://127.0.0.1:9/', `{http}://${host}/`]],
  ['a URL behind an option', (host) => ['-XPOST', `http://${host}/`]],
  ['a host behind a loopback address', (host) => [`http://127.0.0.1\\@${host}/`]],
  ['a host behind a loopback address and a port', (host) => [`http://127.0.0.1:80@${host}/`]],
  ['a file of options', (host) => [`https://${host}/`, '-K', 'urls']],
  ['a file of options behind a loopback URL', () => ['http://127.0.0.1:9/', '-K', 'urls']],
  [
    'a URL behind -- and a word like an option',
    (host) => ['http://127.0.0.1:9/', '--', '-o', `http://${host}/`],
  ],
])('curl sends no token unencrypted to %s', async (_, argsFor) => {
  const host = `gateway.test:${gateway.port}`;
  writeFileSync(join(gw.dir, 'urls'), `url = "http://${host}/"\n`);
  const args = ['-sm', '5', '--resolve', `${host}:127.0.0.1`, ...argsFor(host)];
  expect((await gw.cli(['curl', ...args])).code).toBeGreaterThan(0);
  expect(gateway.requests).toEqual([]);
});

test('curl uses no proxy for a loopback address', async () => {
  const proxy = await startGateway();
  Object.assign(gw.env, { http_proxy: proxy.url, ALL_PROXY: proxy.url });
  // The @ is part of the query, not the end of a user name.
  expect(await gw.cli(['curl', `${gateway.url}/a?mail=me@a.test`, '-sS'])).toMatchObject({ code: 0 });
  expect(gateway.requests).toMatchObject([{ headers: { authorization: 'Bearer token-1' } }]);
  expect(proxy.requests).toEqual([]);
});
