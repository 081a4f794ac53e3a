/** What config does beside the sessions of test/sessions/text/config.txt. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inside } from '../harness/homes/in-process';

test('config stores a ca-file by its absolute path', async () => {
  const gw = inside();
  expect(await gw.cli(['config', 'set', 'ca-file', 'my.pem'])).toEqual({ code: 0, stdout: '', stderr: '' });
  const path = join(process.cwd(), 'my.pem');
  expect((await gw.cli(['config', 'get', 'ca-file'])).stdout).toBe(`${path}\n`);
});
