/** The built package: its bundled packages, their licences, and the parts of undici. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checked } from '../../bin/build/bun.mjs';
import { bundleProgram } from '../../bin/build/package.mjs';
import { openDirectory } from '../harness/homes/directory';
import { ROOT } from '../harness/root';

test('the notices contain exactly the bundled packages’ licences', async () => {
  const dist = openDirectory();
  const output = await bundleProgram(dist);
  const bundled = new Set<string>();
  for (const chunk of output) {
    if (chunk.type !== 'chunk') continue;
    // The innermost node_modules counts, because a package may contain a copy of another.
    for (const id of chunk.moduleIds) {
      const name = /^.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(id)?.[1];
      if (name) bundled.add(name.replaceAll('\\', '/'));
    }
  }
  expect([...bundled]).toEqual(expect.arrayContaining(['commander', 'undici']));

  const [, ...notices] = readFileSync(join(dist, 'THIRD-PARTY-NOTICES.txt'), 'utf8').split(/\n-{80}\n/);
  const named = notices.map((notice) => /^\n(\S+) \d\S* \([\w.-]+\)\n\n/.exec(notice)?.[1]);
  expect(named).toEqual([...bundled].sort());
  for (const notice of notices) {
    expect(notice).toMatch(/copyright/i);
    expect(notice).toMatch(/permission (is hereby granted|to use)/i);
  }
});

test('the build rejects a Bun with another integrity than in bun.json', () => {
  expect(() => checked('@oven/bun-linux-x64', Buffer.from('another'))).toThrow(
    /^@oven\/bun-linux-x64 \S+ is not what bin\/build\/bun\.json says: its integrity is sha512-/,
  );
});

test('npm run gwtoken runs the sources without a build', () => {
  const run = spawnSync(process.execPath, ['bin/build/main.mjs', 'run', 'help', 'exit-codes'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect(run).toMatchObject({ status: 0, stderr: '' });
  expect(run.stdout).toMatch(/^EXIT CODES\n/);
});

test('undici, whose parts are imported by path, is pinned', () => {
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const { version } = createRequire(import.meta.url)('undici/package.json') as { version: string };
  expect(devDependencies.undici).toMatch(/^\d+\.\d+\.\d+$/);
  expect(version).toBe(devDependencies.undici);
});

test('each bundled file contains only the parts that it needs', () => {
  const dist = join(ROOT, 'dist');
  const names = readdirSync(dist).filter((name) => name.endsWith('.cjs'));
  const files = new Map(names.map((name) => [name, readFileSync(join(dist, name), 'utf8')] as const));
  const having = (text: string) => [...files].filter(([, code]) => code.includes(text)).map(([name]) => name);
  // A name in each part that the minifier keeps.
  expect(having('UNDICI_REQUEST')).toEqual(['http.cjs']);
  expect(having('UNDICI_CONNECT')).toEqual(['api-connect.cjs']);
  expect(having('llhttp_execute')).toHaveLength(1);
  // The build replaces Node's HTTP and undici's HTTP/2 by empty modules.
  for (const left of ['node:http', 'HTTP2_HEADER_', 'MockAgent', 'Proxy response ('])
    expect(having(left), left).toEqual([]);
  // It also leaves out conf's writer, which would handle every signal.
  expect(having('SIGXCPU')).toEqual([]);
  expect(files.get('program.cjs')).not.toMatch(/require\(["'](node:)?(net|tls|http|https|dns)["']\)/);
});
