/** The parts of undici imported by their path: their version was looked at, and nothing else is bundled. */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../harness/root';

test('undici is pinned to the version whose parts were looked at', () => {
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const { version } = createRequire(import.meta.url)('undici/package.json') as { version: string };
  expect(devDependencies.undici).toMatch(/^\d+\.\d+\.\d+$/);
  expect(version).toBe(devDependencies.undici);
});

test('the bundle has those parts alone, each file only where it is needed', () => {
  const dist = join(ROOT, 'dist');
  const files = new Map(
    readdirSync(dist).map((name) => [name, readFileSync(join(dist, name), 'utf8')] as const),
  );
  const having = (text: string) => [...files].filter(([, code]) => code.includes(text)).map(([name]) => name);
  // A name of each part that survives the minifier.
  expect(having('UNDICI_REQUEST')).toEqual(['http.cjs']);
  for (const ofProxies of ['UNDICI_CONNECT', 'Proxy response ('])
    expect(having(ofProxies)).toEqual(['tunnel.cjs']);
  expect(having('llhttp_execute')).toHaveLength(1);
  // Neither Node's HTTP nor undici's HTTP/2 comes along: the build puts nothing in their places.
  for (const left of ['node:http', 'HTTP2_HEADER_', 'MockAgent', 'EnvHttpProxyAgent'])
    expect(having(left), left).toEqual([]);
  expect(files.get('gwtoken.cjs')).not.toMatch(/require\(["'](node:)?(net|tls|http|https|dns)["']\)/);
});
