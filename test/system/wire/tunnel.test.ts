/** A tunnel that the proxy refuses, and one over a connection that breaks at a bad moment. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openTunnel } from '../../../src/system/wire/tunnel';
import { onCleanup } from '../../harness/clean-up';
import { startFaultServer } from '../../harness/endpoints/fault-server';
import { ROOT } from '../../harness/root';

describe('a proxy that refuses, and what to do:', () => {
  const USER = 'percent-encode special characters: @ is %40, : is %3A, / is %2F';
  const ALLOW = "ask the proxy's administrator to allow endpoint.test:443, or add it to NO_PROXY";
  const ELSEWHERE =
    "set HTTPS_PROXY to a local proxy that can log in there (cntlm, px), or ask the proxy's administrator for another way to endpoint.test:443";

  test.each<[string, boolean, string, string]>([
    [
      '407 No',
      false,
      'requires a user name and password (407)',
      'set them in the variable: HTTPS_PROXY=http://USER:PASSWORD@p.test:3128',
    ],
    ['407 No', true, 'rejected the user name or password in HTTPS_PROXY (407)', USER],
    ['401 No', true, 'rejected the user name or password in HTTPS_PROXY (401)', USER],
    [
      '407 No\r\nProxy-Authenticate: Negotiate, NTLM',
      true,
      'requires Negotiate or NTLM authentication, and gwtoken supports only Basic (407)',
      ELSEWHERE,
    ],
    ['403 No', false, 'refused to connect to endpoint.test:443 (403)', ALLOW],
    ['501 No', false, 'refused to connect to endpoint.test:443 (501)', ALLOW],
    [
      '502 No',
      false,
      'could not reach endpoint.test:443 (502)',
      'if endpoint.test:443 is reachable without a proxy, add it to NO_PROXY',
    ],
  ])('%s', async (answer, hasPassword, problem, hint) => {
    const { port } = await startFaultServer({
      answer: (socket) => void socket.end(`HTTP/1.1 ${answer}\r\nContent-Length: 0\r\n\r\n`),
    });
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    onCleanup(() => socket.destroy());
    await once(socket, 'connect');
    const proxy = {
      secure: false,
      hostname: 'p.test',
      port: 3128,
      source: 'HTTPS_PROXY',
      name: 'p.test:3128',
      authorization: hasPassword ? 'Basic dTpw' : undefined,
    };
    await expect(openTunnel(socket, proxy, 'endpoint.test:443')).rejects.toMatchObject({
      kind: 'unreached',
      reason: answer.startsWith('502') ? 'proxy-failure' : 'proxy-refusal',
      message: `the proxy p.test:3128 (from HTTPS_PROXY) ${problem}`,
      hints: [hint],
    });
  });
});

/**
 * Opens the tunnel after, or just before, the connection to the proxy is gone: in a process of its own, since what goes
 * wrong may never end.
 */
const PROGRAM = `
  const { connect } = require('node:net');
  const { openTunnel } = require(${JSON.stringify(join(ROOT, 'src', 'system', 'wire', 'tunnel.ts'))});
  const [port, when] = process.argv.slice(1);
  const proxy = { secure: false, hostname: '127.0.0.1', port, source: 'HTTPS_PROXY', name: '127.0.0.1:' + port };
  const socket = connect(port, '127.0.0.1', () => {
    if (when === 'before') socket.destroy();
    openTunnel(socket, proxy, 'endpoint.test:443').then(
      () => console.log('opened'),
      ({ message }) => console.log('failed: ' + message),
    );
    if (when === 'after') socket.destroy();
  });
  socket.on('error', () => {});
`;

test.each(['before', 'after'])(
  'a tunnel fails at once where the connection is cut %s it is asked for',
  async (when) => {
    const { port } = await startFaultServer({});
    const args = ['--require', 'tsx/cjs', '-e', PROGRAM, String(port), when];
    const said = await new Promise<string>((resolve) => {
      execFile(
        process.execPath,
        args,
        { cwd: ROOT, timeout: 20_000, killSignal: 'SIGKILL' },
        (_, stdout, stderr) => resolve(stdout + stderr),
      );
    });
    expect(said).toBe('failed: closed\n');
  },
);
