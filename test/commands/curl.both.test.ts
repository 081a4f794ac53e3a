/** The built program's `gwtoken curl`: what curl gets from it. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Gateway, startGateway } from '../harness/endpoints/gateway';
import { tokenReply } from '../harness/endpoints/token-endpoint';
import { filesBelow } from '../harness/homes/files';
import { type Home, startClientHome } from '../harness/homes/home';

const TOKEN = 'tok"\\ $(id) `id` $HOME';

describe('gwtoken curl', () => {
  let home: Home;
  let gateway: Gateway;
  beforeEach(async ({ needs }) => {
    needs('posix', 'curl');
    home = await startClientHome(() => tokenReply(TOKEN));
    gateway = await startGateway();
  });

  test('sends the token and passes stdin, stdout and arguments to curl', async () => {
    const args = ['curl', '--region', 'eu', `${gateway.url}/a`, '-sS', '-d', '@-', '-H', 'x: --fresh'];
    expect(await home.gwtoken(args, { stdin: 'from stdin' })).toMatchObject({
      code: 0,
      stdout: 'the reply\n',
      stderr: '',
    });
    expect(gateway.requests).toMatchObject([
      { headers: { authorization: `Bearer ${TOKEN}` }, body: 'from stdin' },
    ]);
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
    const { code, stderr } = await home.gwtoken(['curl', gateway.url], { env });
    expect({ code, stderr: stderr.trimEnd() }).toEqual({
      code: 0,
      stderr: expect.stringContaining(
        `header = "Authorization: Bearer ${TOKEN.replace(/["\\]/g, '\\$&')}"\n`,
      ),
    });
    const text = readFileSync(spied, 'utf8');
    expect(text).not.toContain('tok"');
    expect(text).not.toContain('GWTOKEN_CLIENT');
    expect(text).toMatch(/ \(deleted\)\n$/);
    expect([...filesBelow(home.dir).values()].filter((bytes) => bytes.includes('$(id)'))).toEqual([]);
  });
});
