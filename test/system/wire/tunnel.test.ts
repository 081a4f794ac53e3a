/** A tunnel over a connection that breaks at a bad moment: in a process of its own, since what goes wrong may never end. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startFaultServer } from '../../harness/endpoints/fault-server';
import { ROOT } from '../../harness/root';

/** Opens the tunnel after, or just before, the connection to the proxy is gone. */
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
  'fails at once where the connection is cut %s it is asked for',
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
