/** The last failure of a client: which ones are stored, and when they count. */
import { describe, expect, test } from 'vitest';
import { type ErrorKind, GwtokenError, type Reason } from '../../src/errors';
import { hmac } from '../../src/system/distribution';
import { storedKey } from '../../src/token/key';
import { formatFailure, isShareable, lastFailure } from '../../src/token/last-failure';
import type { Query } from '../../src/token/query';
import type { Env, TokenKey } from '../../src/world';
import { EU } from '../harness/homes/client';

const NOW = 1_900_000_000_000;
const keyOf = (authUrl: string, secret: string): TokenKey => ({ client: EU, facts: [authUrl], secret });
const QUERY = { key: keyOf('https://a.test', 'canary-s3cret'), startedAtMs: NOW - 1 } as unknown as Query;
const worldWith = (text: string, env: Env = {}) =>
  ({ tokens: { read: () => ({ text }) }, now: () => NOW, hmac, env }) as never;
const ERROR = new GwtokenError('bad-reply', 'no answer\u001b[2J', ['look at it'], { reason: 'rejected' });
const STORED = formatFailure(ERROR, storedKey(QUERY.key, 'salt', { hmac }), NOW);
const found = (query: Partial<Query> = {}, text = STORED) =>
  lastFailure({ ...QUERY, ...query }, worldWith(text));

describe('the last failure', () => {
  test('counts for runs that began before it', () => {
    expect(STORED).not.toContain('canary');
    const { kind, hints, reason } = ERROR;
    expect(found()).toMatchObject({ kind, hints, reason, message: 'no answer\\u001b[2J' });
    expect(found({ startedAtMs: NOW })).toBeUndefined();
  });

  test('counts for later runs, but not for --fresh, if it is a refusal', () => {
    const refused = new GwtokenError('refused', 'rejected');
    const text = formatFailure(refused, storedKey(QUERY.key, 'salt', { hmac }), NOW);
    expect(found({ startedAtMs: NOW }, text)?.kind).toBe('refused');
    expect(found({ startedAtMs: NOW, freshOnly: true }, text)).toBeUndefined();
  });

  test('counts for a run that may use a proxy only if the endpoint answered', () => {
    const unreached = new GwtokenError('unreached', 'could not reach a.test');
    const text = formatFailure(unreached, storedKey(QUERY.key, 'salt', { hmac }), NOW);
    expect(found({}, text)).toMatchObject({ kind: 'unreached' });
    const withProxy = (stored: string) => lastFailure(QUERY, worldWith(stored, { HTTPS_PROXY: 'p.test' }));
    expect(withProxy(text)).toBeUndefined();
    expect(withProxy(STORED)).toBeDefined();
  });

  test('does not count for another secret or auth URL', () => {
    expect(found({ key: keyOf('https://a.test', 'another') })).toBeUndefined();
    expect(found({ key: keyOf('https://b.test', 'canary-s3cret') })).toBeUndefined();
  });

  test.each(['', 'null', '{"key":{"facts":["f"]},"atMs":1}'])(
    'is ignored if its file contains %j',
    (text) => {
      expect(found({}, text)).toBeUndefined();
    },
  );

  test.each([[{}], [[1]]])('is ignored if its hints are %j', (hints) => {
    expect(found({}, JSON.stringify({ ...JSON.parse(STORED), hints }))).toBeUndefined();
  });
});

test('a failure is shared only if another process would fail in the same way', () => {
  const shared = (kind: ErrorKind, reason?: Reason) =>
    isShareable(new GwtokenError(kind, 'm', [], { reason }));
  const yes = [
    shared('refused'),
    shared('no-credentials'),
    shared('bad-reply'),
    shared('keychain'),
    shared('keychain', 'denied'),
    shared('unreached', 'unreachable'),
  ];
  expect(yes).not.toContain(false);
  const no = [
    shared('usage'),
    shared('local'),
    // Another process may have a longer timeout, another proxy, CA or cipher, or a desktop session.
    shared('unreached', 'timed-out'),
    shared('unreached'),
    shared('keychain', 'timed-out'),
    shared('keychain', 'no-keychain'),
    shared('bad-reply', 'just-expired'),
  ];
  expect(no).not.toContain(true);
});
