import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onCleanup } from '../clean-up';
import { openDirectory } from '../homes/directory';
import type { Display } from './display';

export type Environment = Readonly<Record<string, string>>;

/** The helpers that were ended on purpose. */
const ended = new WeakSet<ChildProcess>();

/** Starts a helper that dies with us however we die (PR_SET_PDEATHSIG). Reports one that ends by itself. */
export function startHelper(program: string, args: readonly string[], env: Environment): ChildProcess {
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', program, ...args], { env, stdio: 'pipe' });
  child.on('error', () => {});
  child.stdin?.on('error', () => {});
  let stderr = '';
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  child.once('close', (code, signal) => {
    if (!ended.has(child)) console.error(`${program} has ended by itself: ${signal ?? code}\n${stderr}`);
  });
  return child;
}

/** Ends a helper and waits until it is gone. SIGKILL, since it may be frozen; after 5 s at the latest. */
export async function endHelper(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  ended.add(child);
  child.kill(signal);
  const last = setTimeout(() => child.kill('SIGKILL'), 5000);
  await gone;
  clearTimeout(last);
}

/** Runs a program to its end. Resolves with its stdout; rejects when it fails or takes longer than 30 s. */
export function run(program: string, args: readonly string[], env: Environment, stdin = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { env, timeout: 30_000, killSignal: 'SIGKILL' } as const;
    const child = execFile(program, [...args], options, (error, stdout, stderr) =>
      error ? reject(new Error(`${program}: ${stderr.trim() || error.message}`)) : resolve(stdout),
    );
    child.stdin?.on('error', () => {});
    child.stdin?.end(stdin);
  });
}

/** The home and session bus of a user who has logged in; nobody else sees them, until the test's end. */
export interface Session {
  /** The directory in which all that is. */
  readonly dir: string;
  /** HOME, XDG_*, DBUS_SESSION_BUS_ADDRESS, and DISPLAY where there is one. */
  readonly env: Environment;
  /** The same for programs of the system's: with PATH. */
  readonly withPath: Environment;
  /** HOME and XDG_*. */
  readonly home: Readonly<
    Record<'XDG_CONFIG_HOME' | 'XDG_CACHE_HOME' | 'XDG_DATA_HOME' | 'XDG_RUNTIME_DIR', string>
  >;
  /** Starts a program that ends with the session. */
  start(program: string, args: readonly string[], more?: Environment): ChildProcess;
}

/** @param display where the session has a screen, and somebody before it */
export async function startSession(display?: Display): Promise<Session> {
  const dir = openDirectory();
  const helpers: ChildProcess[] = [];
  // What a test starts later, too, belongs to the session and not to the test.
  onCleanup(() => Promise.all(helpers.map((helper) => endHelper(helper))));
  const below = (name: string) => join(dir, name);
  const home = {
    HOME: below('home'),
    XDG_CONFIG_HOME: below('config'),
    XDG_CACHE_HOME: below('cache'),
    XDG_DATA_HOME: below('data'),
    XDG_RUNTIME_DIR: below('run'),
  };
  for (const directory of [home.HOME, home.XDG_RUNTIME_DIR]) mkdirSync(directory, { mode: 0o700 });
  const DBUS_SESSION_BUS_ADDRESS = `unix:path=${below('bus')}`;
  const env = { ...home, ...display?.env, DBUS_SESSION_BUS_ADDRESS };
  const withPath = { PATH: process.env['PATH'] ?? '', ...env };
  const start: Session['start'] = (program, args, more = {}) => {
    const helper = startHelper(program, args, { ...withPath, ...more });
    helpers.push(helper);
    helper.stdout?.resume();
    return helper;
  };
  writeFileSync(below('bus.conf'), busConfig(DBUS_SESSION_BUS_ADDRESS));
  const bus = start('dbus-daemon', [
    `--config-file=${below('bus.conf')}`,
    '--nofork',
    '--nopidfile',
    '--print-address=1',
  ]);
  await new Promise((resolve, reject) => {
    bus.stdout?.once('data', resolve);
    bus.once('close', () => reject(new Error('the session bus ended')));
  });
  return { dir, env, withPath, home, start };
}

/** Starts no service by itself (no `servicedir`), and has room for hundreds of parallel programs. */
function busConfig(address: string): string {
  const limits = ['max_completed_connections', 'max_incomplete_connections', 'max_connections_per_user'];
  const rules = ['max_match_rules_per_connection', 'max_replies_per_connection', 'max_names_per_connection'];
  return `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <keep_umask/>
  <listen>${address}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*"/>
    <allow receive_sender="*"/>
    <allow own="*"/>
  </policy>
${[...limits, ...rules].map((name) => `  <limit name="${name}">50000</limit>`).join('\n')}
</busconfig>
`;
}
