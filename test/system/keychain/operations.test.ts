import { expect, test } from 'vitest';
import type { Keytar } from '../../../src/system/keychain/keytar';
import { perform, type Request } from '../../../src/system/keychain/operations';

const DENIED = { code: 'DENIED' };

/**
 * Performs the request with a keytar that gives these answers in turn: it throws errors, and in place of
 * `what was stored` returns the value of the last set. Resolves with the result, or with the error.
 */
async function performWith(answers: readonly unknown[], request: Request) {
  const left = [...answers];
  const calls: string[] = [];
  let stored: string | undefined;
  const call = async (service: string, account: string) => {
    calls.push(`${service} ${account}`);
    const next = left.shift();
    if (next instanceof Error) throw next;
    return next === 'what was stored' ? stored : next;
  };
  const keytar = {
    getPassword: call,
    deletePassword: call,
    setPassword: async (_service: string, _account: string, value: string) => {
      stored = value;
    },
  } as unknown as Keytar;
  const result = await perform(request, keytar, 7).catch((error: Error) => error);
  expect(left).toEqual([]);
  return { result, calls };
}

test.each<[reads: readonly unknown[], result: object]>([
  [[null, 'what was stored'], { found: false }],
  [['old', 'what was stored'], { found: true }],
  // A session with a wrong key has left an empty value.
  [['', 'what was stored'], { found: false }],
  // The person has declined the dialog.
  [['old', null], DENIED],
  [['old', 'old'], DENIED],
])('if the reads before and after return %j, set ends with %j', async (reads, expected) => {
  const { result } = await performWith(reads, { op: 'set', account: 'a', value: 'new' });
  expect(result).toMatchObject(expected);
});

test.each<[answers: readonly unknown[], result: object]>([
  [[true, null], { found: true }],
  [[true, 'it'], DENIED],
  [[false, null, false], { found: false }],
  // The read has unlocked the item.
  [[false, 'it', true, null], { found: true }],
  [[false, 'it', true, 'it'], DENIED],
  [[true, new Error('Client public key size is invalid')], { found: true }],
  [[new Error('something new')], { message: 'something new' }],
])('if the calls to keytar return %j, delete ends with %j', async (answers, expected) => {
  const { result, calls } = await performWith(answers, { op: 'delete', account: 'a' });
  expect(result).toMatchObject(expected);
  expect(new Set(calls)).toEqual(new Set(['gwtoken a']));
});

test('accounts returns the accounts, and no secret', async () => {
  const items = [{ account: 'default:production:eu', password: 'secret' }];
  const keytar = { findCredentials: async () => items } as unknown as Keytar;
  const accounts = ['default:production:eu'];
  expect(await perform({ op: 'accounts' }, keytar, 7)).toEqual({ found: true, accounts });
});

test('probe stores an item of the service gwtoken-probe, which the help names', async () => {
  const { result, calls } = await performWith([null, 'what was stored', true, null], { op: 'probe' });
  expect(result).toEqual({ found: true });
  expect(new Set(calls)).toEqual(new Set(['gwtoken-probe probe 7']));
  expect(await performWith([null, 'something else'], { op: 'probe' })).toMatchObject({ result: DENIED });
});
