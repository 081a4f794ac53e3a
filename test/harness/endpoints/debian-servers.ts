/** Proxies as Debian has them, each on the loopback with a configuration of the test's own. */
import { chmodSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { DEBIAN_SERVICES } from '../debian.mjs';
import { openFolder } from '../homes/folder';
import { startCommand } from '../programs/program';
import { closedPort } from './fault-server';

/** Starts one in a folder that every user may read, and waits until it listens. */
async function serve(args: readonly string[], port: number): Promise<number> {
  const running = startCommand(args, { env: {}, timeoutMs: 120_000 });
  let ended: string | undefined;
  running.result.then(
    ({ stdout, stderr }) => {
      ended = stdout + stderr;
    },
    () => {},
  );
  for (;;) {
    if (ended !== undefined) throw new Error(`${args[0]} ended: ${ended}`);
    const isThere = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
      socket.on('connect', () => socket.destroy());
    });
    if (isThere) return port;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function openReadable(): string {
  const dir = openFolder();
  chmodSync(dir, 0o755);
  return dir;
}

/** @param lines of its configuration beside the address */
export async function startTinyproxy(...lines: readonly string[]): Promise<number> {
  const [dir, port] = [openReadable(), await closedPort()];
  const file = join(dir, 'tinyproxy.conf');
  writeFileSync(file, [`Port ${port}`, 'Listen 127.0.0.1', 'Timeout 60', ...lines, ''].join('\n'));
  return await serve([DEBIAN_SERVICES.tinyproxy, '-d', '-c', file], port);
}

/** @param lines of its configuration beside the address; FOLDER in them is one that it can read */
export async function startSquid(lines: readonly string[], files: Readonly<Record<string, string>> = {}) {
  const [dir, port] = [openReadable(), await closedPort()];
  const file = join(dir, 'squid.conf');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text, { mode: 0o644 });
  const own = [`http_port 127.0.0.1:${port}`, 'pid_filename none', 'access_log none', 'cache_log /dev/null'];
  const quiet = ['cache deny all', 'shutdown_lifetime 0 seconds', 'netdb_filename none', 'pinger_enable off'];
  writeFileSync(file, [...own, ...quiet, ...lines, ''].join('\n').replaceAll('FOLDER', dir), { mode: 0o644 });
  return await serve([DEBIAN_SERVICES.squid, '-N', '-f', file], port);
}
