/** A tunnel that the proxy refuses, or over a connection that breaks at a bad moment. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openWire } from '../../../src/system/wire/wire';
import type { ConnectionProgress } from '../../../src/world';
import { makeAuthority } from '../../harness/endpoints/authority';
import { startConnectProxy, startFaultServer } from '../../harness/endpoints/fault-server';
import { ROOT } from '../../harness/root';
import { surroundings } from './surroundings';

// Around a parameter's equals sign a recipient has to take white space (RFC 9110 section 5.6.3).
const SCHEMES =
  `Proxy-Authenticate: ${'x'.repeat(41)}\r\n` +
  'Proxy-Authenticate: Negotiate, NTLM, Not-Basic, Basic-Too\r\nProxy-Authenticate: Digest realm="a, Basic", nonce = "\\", Basic, \\"", qop  =auth, Digest algorithm=MD5\r\n';
const ENCODE = 'percent-encode special characters: @ is %40, : is %3A, / is %2F';
const WITHOUT = 'if endpoint.test:443 is reachable without a proxy, add it to NO_PROXY';
const ALLOW = "ask the proxy's administrator to allow endpoint.test:443, or add it to NO_PROXY";

test.each<[status: string, credentials: string, reason: string, says: string, hint: string]>([
  [
    '407',
    '',
    'proxy-refusal',
    'requires a user name and password (407)',
    'set them in the variable: HTTPS_PROXY=http://USER:PASSWORD@NAME',
  ],
  ['407', 'u:p@', 'proxy-refusal', 'rejected the user name or password in HTTPS_PROXY (407)', ENCODE],
  ['401', 'u:p@', 'proxy-refusal', 'rejected the user name or password in HTTPS_PROXY (401)', ENCODE],
  [
    '407 X\r\nProxy-Authenticate: Negotiate, basic realm="x", charset="UTF-8"\r\n',
    'u:p@',
    'proxy-refusal',
    'rejected the user name or password in HTTPS_PROXY (407)',
    ENCODE,
  ],
  [
    `407 X\r\n${SCHEMES}`,
    'u:p@',
    'proxy-refusal',
    'requires Negotiate or NTLM or Not-Basic or Basic-Too or Digest authentication, and gwtoken supports only Basic (407)',
    "set HTTPS_PROXY to a local proxy that can log in there (cntlm, px), or ask the proxy's administrator for another way to endpoint.test:443",
  ],
  ['403', '', 'proxy-refusal', 'refused to connect to endpoint.test:443 (403)', ALLOW],
  ['302', '', 'proxy-refusal', 'refused to connect to endpoint.test:443 (302)', ALLOW],
  ['501', '', 'proxy-refusal', 'refused to connect to endpoint.test:443 (501)', ALLOW],
  ['500', '', 'proxy-failure', 'could not reach endpoint.test:443 (500)', WITHOUT],
  ['502', '', 'proxy-failure', 'could not reach endpoint.test:443 (502)', WITHOUT],
])(
  'fetch names a proxy that answers %s (%s), and hangs up',
  async (status, credentials, reason, says, hint) => {
    let hungUp: Promise<unknown> | undefined;
    const proxy = await startFaultServer({
      connected(socket) {
        hungUp = once(socket, 'close');
      },
      answer: (socket) => void socket.write(`HTTP/1.1 ${status.trimEnd()}\r\nContent-Length: 0\r\n\r\n`),
    });
    const { fetch } = openWire(
      surroundings({ env: { HTTPS_PROXY: proxy.url.replace('//', `//${credentials}`) } }),
    );
    const name = new URL(proxy.url).host;
    const asked = fetch('https://endpoint.test', {
      method: 'POST',
      body: '',
      headers: {},
      timeoutMs: 20_000,
    });
    await expect(asked).rejects.toMatchObject({
      kind: 'unreached',
      reason,
      message: `the proxy ${name} (from HTTPS_PROXY) ${says}`,
      hints: [hint.replace('NAME', name)],
    });
    await hungUp;
  },
);

test('fetch verifies an https: proxy and the endpoint by their own names', async () => {
  const authority = makeAuthority();
  const endpoint = await startFaultServer(
    { answer: (socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n') },
    { tls: authority.issue({ names: 'IP:127.0.0.1', subject: '/CN=the endpoint' }) },
  );
  const proxy = await startConnectProxy(undefined, authority.issue({ names: 'DNS:localhost' }));
  const { fetch } = openWire(surroundings({ env: { HTTPS_PROXY: `https://localhost:${proxy.port}` } }));
  const told: string[] = [];
  const [certificates, steps]: [string[], string[]] = [[], []];
  const options = {
    caFile: authority.caFile,
    trace: (line: string) => told.push(line),
    onProgress({ proxy, waitingFor, tunnel, tls }: Partial<ConnectionProgress>) {
      if (tls) certificates.push(tls.subject);
      const step = proxy ?? waitingFor ?? (tunnel === undefined ? undefined : `tunnel: ${tunnel}`);
      // Once for each address.
      if (step !== undefined && steps.at(-1) !== step) steps.push(step);
    },
  };
  const asked = { method: 'POST', body: '', headers: {}, timeoutMs: 20_000, ...options } as const;
  expect(await fetch(endpoint.url, asked)).toMatchObject({
    status: 200,
    address: `127.0.0.1:${proxy.port}`,
  });
  expect(told).toEqual([
    `using the proxy localhost:${proxy.port} (from HTTPS_PROXY)`,
    `connected to 127.0.0.1:${proxy.port}`,
    'verified the certificate of localhost (TLSv1.3)',
    'verified the certificate of 127.0.0.1 (TLSv1.3)',
  ]);
  // Told of as the endpoint's.
  expect(certificates).toEqual(['the endpoint']);
  expect(steps).toEqual([
    `localhost:${proxy.port}`,
    ...['roots', 'tunnel: false', 'lookup', 'connect', 'handshake', 'tunnel', 'tunnel: true'],
    ...['handshake', 'reply', 'body'],
  ]);
});

/**
 * In a process of its own, since what goes wrong may never end. Opens the tunnel after, or just before, the connection to the
 * proxy is gone.
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
  'openTunnel fails at once if the connection is cut %s the request',
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
