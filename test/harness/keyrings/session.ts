import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onCleanup } from '../clean-up';
import { openDirectory } from '../homes/directory';
import { inherited, runCommand } from '../programs/program';
import type { Display } from './display';

export type Environment = Readonly<Record<string, string>>;

/** Helpers that endHelper() has ended. */
const ended = new WeakSet<ChildProcess>();

/** Starts a helper that dies with this process (PR_SET_PDEATHSIG). Reports a helper that ends by itself. */
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

/** Ends a helper by the signal, and after 5 s by SIGKILL. A suspended helper reacts only to SIGKILL. */
export async function endHelper(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  ended.add(child);
  child.kill(signal);
  const last = setTimeout(() => child.kill('SIGKILL'), 5000);
  await gone;
  clearTimeout(last);
}

/** Runs a program. Resolves with its stdout; rejects if the program fails. */
export async function run(program: string, args: readonly string[], env: Environment, stdin = '') {
  const { code, stdout, stderr } = await runCommand([program, ...args], { env, stdin });
  if (code !== 0) throw new Error(`${program}: ${stderr.trim() || code}`);
  return stdout;
}

/** Home directory and session bus of a user who has logged in. Both end with the test. */
export interface Session {
  /** The directory of all files of the session. */
  readonly dir: string;
  /** The variables PATH, HOME, XDG_*, DBUS_SESSION_BUS_ADDRESS, and DISPLAY if the session has a screen. */
  readonly env: Environment &
    Readonly<Record<'XDG_CONFIG_HOME' | 'XDG_DATA_HOME' | 'XDG_RUNTIME_DIR', string>>;
  /** Starts a program that ends with the session. */
  start(program: string, args: readonly string[], more?: Environment): ChildProcess;
}

/** Starts a session bus. @param display the session's screen, if it has one */
export async function startSession(display?: Display): Promise<Session> {
  const dir = openDirectory();
  const helpers: ChildProcess[] = [];
  // Registered here, so that helpers which a test starts later also live as long as the session.
  onCleanup(() => Promise.all(helpers.map((helper) => endHelper(helper))));
  const below = (name: string) => join(dir, name);
  const env = {
    ...inherited(),
    HOME: below('home'),
    XDG_CONFIG_HOME: below('config'),
    XDG_CACHE_HOME: below('cache'),
    XDG_DATA_HOME: below('data'),
    XDG_RUNTIME_DIR: below('run'),
    DBUS_SESSION_BUS_ADDRESS: `unix:path=${below('bus')}`,
    ...display?.env,
  };
  for (const directory of [env.HOME, env.XDG_RUNTIME_DIR]) mkdirSync(directory, { mode: 0o700 });
  const start: Session['start'] = (program, args, more = {}) => {
    const helper = startHelper(program, args, { ...env, ...more });
    helpers.push(helper);
    helper.stdout?.resume();
    return helper;
  };
  writeFileSync(below('bus.conf'), busConfig(env.DBUS_SESSION_BUS_ADDRESS));
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
  return { dir, env, start };
}

/** Returns the configuration of a bus that starts no services and has room for hundreds of programs. */
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
