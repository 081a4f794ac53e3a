import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type Environment = Readonly<Record<string, string>>;

/** The helpers that were ended on purpose. */
const ended = new WeakSet<ChildProcess>();

/**
 * Starts a helper that dies with us however we die: the kernel kills it (PR_SET_PDEATHSIG), so no cleaning up of
 * ours is needed after a SIGKILL. One that ends by itself is told of: what a test then sees of it is a riddle.
 */
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

/** Ends a helper and waits until it is gone. SIGKILL, since a test may have frozen it; after 5 s in any case. */
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

/**
 * Starts a session bus whose socket is in `dir`; resolves with its address when it listens. It starts no service by
 * itself (no `servicedir`): "no provider" stays so and no prompter appears. Its limits are raised, since hundreds
 * of parallel programs are among the tests.
 */
export async function startSessionBus(
  dir: string,
  env: Environment,
): Promise<{ bus: ChildProcess; address: string }> {
  const config = join(dir, 'bus.conf');
  const limits = ['max_completed_connections', 'max_incomplete_connections', 'max_connections_per_user'];
  const rules = ['max_match_rules_per_connection', 'max_replies_per_connection', 'max_names_per_connection'];
  writeFileSync(
    config,
    `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <keep_umask/>
  <listen>unix:path=${join(dir, 'bus')}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*"/>
    <allow receive_sender="*"/>
    <allow own="*"/>
  </policy>
${[...limits, ...rules].map((name) => `  <limit name="${name}">50000</limit>`).join('\n')}
</busconfig>
`,
  );
  const bus = startHelper(
    'dbus-daemon',
    [`--config-file=${config}`, '--nofork', '--nopidfile', '--nosyslog', '--print-address=1'],
    env,
  );
  let stderr = '';
  bus.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  try {
    const address = await new Promise<string>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('the session bus does not listen')), 30_000);
      let stdout = '';
      bus.stdout?.on('data', (chunk) => {
        stdout += chunk;
        if (!stdout.includes('\n')) return;
        clearTimeout(timer);
        resolve(stdout.trim());
      });
      bus.once('close', () => {
        clearTimeout(timer);
        reject(new Error(`the session bus ended: ${stderr}`));
      });
    });
    return { bus, address };
  } catch (error) {
    await endHelper(bus);
    throw error;
  }
}
