/** The built package: the parts of undici in it, and the check of the downloaded Bun. */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checked } from '../../bin/build/bun.mjs';
import { filesBelow } from '../harness/homes/files';
import { ROOT } from '../harness/root';

test('the build rejects a Bun with another integrity than in bun.json', () => {
  expect(() => checked('@oven/bun-linux-x64', Buffer.from('another'))).toThrow(
    /^@oven\/bun-linux-x64 \S+ is not what bin\/build\/bun\.json says: its integrity is sha512-/,
  );
});

test("the build's entry of undici has what src uses of undici", () => {
  const require = createRequire(import.meta.url);
  const [undici, methods] = [require('undici'), require('undici/lib/api')];
  const entry = require('../../bin/build/undici.cjs');
  const source = [...filesBelow(join(ROOT, 'src')).values()].join('\n');
  const imports = [...source.matchAll(/^import \{ (.*) \} from 'undici';$/gm)].flatMap(([, names]) => names);
  expect(imports).toEqual(['buildConnector, Client']);
  expect(entry).toEqual({ buildConnector: undici.buildConnector, Client: undici.Client });
  const called = Object.keys(methods).filter((name) => source.includes(`.${name}({`));
  expect(called.sort()).toEqual(['connect', 'request']);
  // Own members, because the index adds all methods to what Client inherits.
  for (const name of called)
    expect(Object.getOwnPropertyDescriptor(entry.Client.prototype, name)?.value).toBe(methods[name]);
});

test('each bundled file contains only the parts that it needs', () => {
  const dist = join(ROOT, 'dist');
  const names = readdirSync(dist).filter((name) => name.endsWith('.cjs'));
  const files = new Map(names.map((name) => [name, readFileSync(join(dist, name), 'utf8')] as const));
  const having = (text: string) => [...files].filter(([, code]) => code.includes(text)).map(([name]) => name);
  // A name in each part that the minifier keeps.
  expect(having('UNDICI_REQUEST')).toEqual(['http.cjs']);
  expect(having('UNDICI_CONNECT')).toEqual(['http.cjs']);
  expect(having('llhttp_execute')).toHaveLength(1);
  // The build replaces Node's HTTP and undici's HTTP/2 by empty modules.
  for (const left of ['node:http', 'HTTP2_HEADER_', 'MockAgent', 'Proxy response ('])
    expect(having(left), left).toEqual([]);
  // It also leaves out conf's writer, which would handle every signal.
  expect(having('SIGXCPU')).toEqual([]);
  expect(files.get('gwtoken.cjs')).not.toMatch(/require\(["'](node:)?(net|tls|http|https|dns)["']\)/);
});
