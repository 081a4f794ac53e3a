/** Kills and suspends calls at random moments. `SOAK=1` runs longer. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { tokenReply } from '../harness/endpoints/token-endpoint';
import { filesBelow } from '../harness/homes/files';
import { startClientHome } from '../harness/homes/home';
import { executable } from '../harness/programs/program';

/** Share of the long run: 1 plays all of it. */
const SHARE = Number(process.env['SOAK'] ?? 0.05);

test('a killed or suspended call makes no other fail and leaves no partial token', {
  timeout: 600_000,
}, async () => {
  const home = await startClientHome((post) => tokenReply(post, { expires_in: 60 }));
  const calls = Math.ceil(400 * SHARE);
  const wrong: string[] = [];
  for (let wave = 0; wave < calls / 10; wave++) {
    const programs = Array.from({ length: 10 }, () =>
      home.start(['get', ...(wave % 2 ? [] : ['--fresh'])], { program: [executable()], timeoutMs: 60_000 }),
    );
    const victims = programs.filter((_, index) => index % 5 === wave % 5);
    await sleep(Math.random() * 300);
    const [dead, frozen] = [victims[0], victims[1]];
    dead?.kill('SIGKILL');
    frozen?.kill('SIGSTOP');
    setTimeout(() => frozen?.kill('SIGCONT'), 4000);
    for (const { result } of programs) {
      const { code, signal, stdout } = await result;
      if (signal !== 'SIGKILL' && code !== 0) wrong.push(`exit ${code}`);
      if (stdout !== '' && !/^token-\d+\n$/.test(stdout)) wrong.push(`printed ${stdout}`);
    }
  }
  expect(wrong).toEqual([]);
  // The next call ignores and removes the lock of a killed call.
  expect((await home.gwtoken(['get', '--fresh'])).code).toBe(0);
  const left = [...filesBelow(home.cache).keys()].filter((name) => /\.(lock|tmp)$|^exec-/.test(name));
  expect(left).toEqual([]);
});
