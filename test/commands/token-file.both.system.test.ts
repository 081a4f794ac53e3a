/** `exec --token-file` with a real command keeps the file fresh while the command runs, and then removes it. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { tokenReply } from '../harness/endpoints/token-endpoint';
import { type ClientHome, startClientHome } from '../harness/homes/home';
import { shellWait, until } from '../harness/programs/processes';
import { untilWaiting } from '../token/many';

let home: ClientHome;
let end: string;
beforeEach(async () => {
  home = await startClientHome();
  end = join(home.dir, 'end');
});

/** Starts a command that runs until the file `end` appears. Resolves when the command has started. */
async function start(...flags: string[]) {
  const running = join(home.dir, 'running');
  const script = `touch '${running}'; ${shellWait(end)}`;
  const path = join(home.dir, 'token');
  const args = ['exec', '--token-file', path, ...flags, '--', 'sh', '-c', script];
  const program = home.start(args, { detached: true, timeoutMs: 90_000 });
  await until('the command runs', () => existsSync(running));
  return { ...program, path };
}
const finish = () => writeFileSync(end, '');

describe('the token file', () => {
  test('has a new token before the old one expires, and always a whole one', async () => {
    home.endpoint.answer = (count) => tokenReply(`token-${count}-${'x'.repeat(20_000)}`, { expires_in: 2 });
    const { path, result } = await start();
    const seen = new Set<string>();
    while (seen.size < 3) {
      seen.add(readFileSync(path, 'latin1'));
      await new Promise((done) => setTimeout(done, 5));
    }
    finish();
    expect(await result).toMatchObject({ code: 0, stderr: '' });
    expect([...seen].filter((text) => !/^token-\d+-x{20000}$/.test(text))).toEqual([]);
  });

  test('is no longer renewed after the command; a waiting get sends its own request', async ({ needs }) => {
    needs('linux');
    const { endpoint } = home;
    let release = (): void => {};
    endpoint.answer = () => {
      release = endpoint.hold();
      return tokenReply('token', { expires_in: 2 });
    };
    const { result } = await start('--timeout', '60s');
    await endpoint.arrived(2);
    const other = home.start(['get', '--verbose']);
    await untilWaiting([other], 1);
    endpoint.answer = () => tokenReply('its own');
    finish();
    expect(await result).toMatchObject({ code: 0, stderr: '' });
    release();
    expect(await other.result).toMatchObject({ code: 0, stdout: 'its own\n' });
    expect(endpoint.posts).toHaveLength(3);
  });
});
