import { test } from 'vitest';
import { makeAuthority } from '../../harness/endpoints/authority';
import { filesBelow } from '../../harness/homes/files';
import { openHome } from '../../harness/homes/home';
import { inside } from '../../harness/homes/in-process';
import { FORM } from '../../harness/programs/program';
import { BAD_PROXIES, PROXY_REPLIES } from './bad-proxies';
import { BAD_REPLIES } from './bad-replies';
import { BAD_TLS } from './bad-tls';
import { BROKEN_CONNECTIONS } from './broken-connections';
import { wireIn } from './open-wire';
import { SECRET, withOtherHost } from './scene';

/** Sockets and TLS are the runtime's. Above them, both forms read and write HTTP with undici. */
const OF_RUNTIME = [BROKEN_CONNECTIONS, BAD_TLS, BAD_PROXIES];
const OF_UNDICI = [BAD_REPLIES, PROXY_REPLIES];

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

/** Runs `get` with a client in variables, and returns its end and its directory. */
type Get = (
  args: readonly string[],
  env: Readonly<Record<string, string>>,
) => Promise<{ code: number | null; stdout: string; stderr: string; dir: string }>;

const byProgram: Get = async (args, env) => {
  const home = openHome(env);
  return { ...(await home.gwtoken(args, { timeoutMs: 80_000 })), dir: home.dir };
};

/** Runs the package's modules in this process: Node's TLS and sockets are the same here. */
const inProcess: Get = async (args, env) => {
  const gw = inside();
  gw.env = env;
  let warned = '';
  const postForm = wireIn(env, (text) => {
    warned += text;
  });
  gw.own = { postForm, monotonicMs: () => performance.now() };
  const { stderr, ...ended } = await gw.cli(args);
  return { ...ended, stderr: warned + stderr, dir: gw.dir };
};

/** Tests the quick cases with the program, or all others, five at a time. */
export function testCases(which: 'quick' | 'others'): void {
  const authority = makeAuthority();
  const all = (FORM === 'executable' ? OF_RUNTIME : [...OF_RUNTIME, ...OF_UNDICI]).flat();
  const cases = all.filter(({ isQuick = false }) => isQuick === (which === 'quick'));
  const rows = cases.map((each) => [each.code, each.name, each] as const);
  const get = which === 'quick' || FORM === 'executable' ? byProgram : inProcess;
  // With $name, Vitest would cut the names.
  test.concurrent.for(rows)('get exits with %i: %s', async ([, , each], { expect, needs }) => {
    needs(each.needs);
    const scene = await each.setUp(authority);
    const { authUrl, args = [], endpoint, strangers = [] } = scene;
    // Three attempts and two handshakes in each would exceed this limit on a busy machine.
    const limits = each.waits ? ['--retries', '0', '--timeout', '4s'] : ['--timeout', '25s'];
    const client = { GWTOKEN_CLIENT_ID: 'wire-client', GWTOKEN_CLIENT_SECRET: SECRET };
    const typed = ['get', '--region', 'eu', '--auth-url', authUrl, ...args, ...limits];
    const { code, stdout, stderr, dir } = await get(typed, { ...client, ...scene.env });
    const requests = endpoint?.requests.length ?? 0;
    expect({ code, requests }, stderr).toEqual({ code: each.code, requests: each.requests });
    expect(stdout).toBe(each.token === undefined ? '' : `${each.token}\n`);
    expect(stderr).toMatch(each.says ?? /^$/);
    const files = [...filesBelow(dir)].map(([path, bytes]) => `${path}: ${bytes.toString('latin1')}`);
    const heard = strangers.map((server) => `a stranger: ${server.received()}`);
    for (const text of [stdout, stderr, ...heard, ...files])
      for (const canary of CANARIES) expect(text).not.toContain(canary);
    expect(withOtherHost(scene)).toEqual([]);
    scene.check?.();
  });
}
