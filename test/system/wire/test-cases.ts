import { test } from 'vitest';
import { makeAuthority } from '../../harness/endpoints/authority';
import { filesBelow } from '../../harness/homes/files';
import { openHome } from '../../harness/homes/home';
import { BAD_PROXIES } from './bad-proxies';
import { BAD_REPLIES } from './bad-replies';
import { BAD_TLS } from './bad-tls';
import { BROKEN_CONNECTIONS } from './broken-connections';
import { SECRET, withOtherHost } from './scene';

/** The secret in each encoding that a text could have, and the proxy's password. */
const CANARIES = [
  SECRET,
  'canary-"secret"',
  'canary-%22secret',
  'canary-\\"secret',
  Buffer.from(SECRET).toString('base64').slice(0, 24),
  Buffer.from(SECRET, 'utf8').toString('latin1'),
  'canary@proxy',
  'canary%40proxy',
];

/** Tests the quick cases, or all others, five at a time. */
export function testCases(which: 'quick' | 'others'): void {
  const authority = makeAuthority();
  const all = [BROKEN_CONNECTIONS, BAD_REPLIES, BAD_TLS, BAD_PROXIES].flat();
  const cases = all.filter(({ isQuick = false }) => isQuick === (which === 'quick'));
  const rows = cases.map((each) => [each.code, each.name, each] as const);
  // With $name, Vitest would cut the names.
  test.concurrent.for(rows)('get exits with %i: %s', async ([, , each], { expect, needs }) => {
    needs(each.needs);
    const scene = await each.setUp(authority);
    const { authUrl, args = [], endpoint, strangers = [] } = scene;
    // The quick case that waits shows the default limit. Three attempts and two handshakes in each would exceed
    // it on a busy machine.
    const once = ['--retries', '0', ...(each.isQuick ? [] : ['--timeout', '4s'])];
    const limits = each.waits ? once : ['--timeout', '25s'];
    const home = openHome({
      GWTOKEN_CLIENT_ID: 'wire-client',
      GWTOKEN_CLIENT_SECRET: SECRET,
      ...scene.env,
    });
    const typed = ['get', '--region', 'eu', '--auth-url', authUrl, ...args, ...limits];
    const { code, signal, stdout, stderr } = await home.gwtoken(typed, { timeoutMs: 80_000 });
    const requests = endpoint?.requests.length ?? 0;
    expect({ code, signal, requests }, stderr).toEqual({
      code: each.code,
      signal: null,
      requests: each.requests,
    });
    expect(stdout).toBe(each.token === undefined ? '' : `${each.token}\n`);
    expect(stderr).toMatch(each.says ?? /^$/);
    const files = [...filesBelow(home.dir)].map(([path, bytes]) => `${path}: ${bytes.toString('latin1')}`);
    const heard = strangers.map((server) => `a stranger: ${server.received()}`);
    for (const text of [stdout, stderr, ...heard, ...files])
      for (const canary of CANARIES) expect(text).not.toContain(canary);
    expect(withOtherHost(scene)).toEqual([]);
    scene.check?.();
  });
}
