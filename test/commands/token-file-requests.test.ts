/** When `exec --token-file` asks for a new token, how often, and what it does beside that: in this process, on its own clock. */
import { expect, test } from 'vitest';
import { GwtokenError } from '../../src/errors';
import { inside } from '../harness/homes/in-process';

const MINUTE = 60_000;

/**
 * Runs exec with these flags and a command that takes so long, by a clock that jumps from one look to the next; an
 * outage may begin on the way, or the command cannot be run. Tells when the endpoint was asked, in milliseconds from the start.
 */
async function run(
  flags: readonly string[],
  lastsMs: number,
  { outageMs = Number.POSITIVE_INFINITY, config = {}, env = {}, fails = false } = {},
) {
  const gw = inside();
  Object.assign(gw.env, env);
  gw.configure(config);
  const began = gw.nowMs;
  const told: string[] = [];
  let touches = 0;
  let next: { readonly ms: number; readonly work: () => void } | undefined;
  gw.answer = (post) => {
    if (gw.nowMs - began >= outageMs) throw new GwtokenError('unreached', 'no answer');
    return { body: { access_token: `token-${post}`, token_type: 'bearer', expires_in: 3600 } };
  };
  gw.own = {
    after(ms, work) {
      next = { ms, work };
      return () => {
        told.push('stopped');
        next = undefined;
      };
    },
    async createTokenFile(text) {
      told.push(text);
      return {
        path: '/the/file',
        replace: (renewed) => told.push(renewed),
        touch: () => touches++,
        remove: () => told.push('removed'),
      };
    },
    async runProgram() {
      if (fails) throw new GwtokenError('not-found', 'command not found');
      while (next !== undefined && gw.nowMs + next.ms - began <= lastsMs) {
        gw.nowMs += next.ms;
        await next.work();
      }
      return { code: 7, signal: null };
    },
  };
  const { code, stdout, stderr } = await gw.cli(['exec', '--token-file', ...flags, '--', 'anything']);
  expect({ code, stdout }).toEqual({ code: fails ? 127 : 7, stdout: '' });
  const asked = gw.posts.map(({ atMs }) => atMs - began);
  return { asked, told, stderr, touches };
}

const END = ['stopped', 'removed'];

test('a new token is asked for when the old one has less than --min-ttl left, and the file is looked after', async () => {
  const { asked, told, stderr, touches } = await run(['--min-ttl', '50m'], 25 * MINUTE);
  expect(asked).toEqual([0, 10 * MINUTE, 20 * MINUTE]);
  expect(told).toEqual(['token-1', 'token-2', 'token-3', ...END]);
  expect(stderr).toBe('');
  expect(touches).toBe(50);
});

test('with less left than the profile asks for, too', async () => {
  const config = { profile: 'acme', 'min-ttl': '40m', profiles: { acme: { 'min-ttl': '30m' } } };
  expect((await run([], 35 * MINUTE, { config })).asked).toEqual([0, 30 * MINUTE]);
});

test('where there can be no cache, and so no turns, too', async () => {
  const { asked, stderr } = await run([], 60 * MINUTE, { env: { GWTOKEN_CACHE_DIR: '/dev/null/cache' } });
  expect({ asked, stderr }).toEqual({ asked: [0, 55 * MINUTE], stderr: '' });
});

test('where the command cannot be run, nothing is left either', async () => {
  expect(await run([], 0, { fails: true })).toMatchObject({
    told: ['token-1', ...END],
    stderr: 'gwtoken: error: command not found\n',
  });
});

test('in an outage each request is one attempt, whatever --retries says', async () => {
  const { asked, told, stderr } = await run(['--retries', '5'], 59 * MINUTE, { outageMs: MINUTE });
  expect(asked).toEqual([0, 55, 57.5, 58.75].map((minutes) => minutes * MINUTE));
  expect(told).toEqual(['token-1', ...END]);
  expect(stderr).toMatch(/^gwtoken: warning: the token file keeps the last token, [^\n]*: no answer\n$/);
});
