import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { styleText } from 'node:util';

/** What a stream should contain: exactly this text, a match, or what the predicate accepts. */
export type Check = string | RegExp | ((text: string) => boolean);

export interface Wanted {
  /** The expected exit codes; default 0. */
  readonly code?: number | readonly number[];
  /** Default: nothing. */
  readonly stdout?: Check;
  /** Default: nothing. */
  readonly stderr?: Check;
}

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Session {
  /** How many lines were typed so far. */
  readonly typed: number;
  /** A comment between the lines. */
  say(text: string): void;
  /** Types `export NAME=value`, in the words of the session's shell. */
  set(name: string, value: string): void;
  /**
   * Types the lines into one shell and shows what it prints. Rejects when that is not what was wanted, so that the
   * transcript cannot tell of something that did not happen.
   */
  run(lines: string | readonly string[], wanted?: Wanted): Promise<Ran>;
  /** Kills the shell that runs, if one does, and all that it started. Further lines are refused. */
  stop(): void;
}

export type Shell = 'sh' | 'powershell';

const PROMPT: Record<Shell, string> = { sh: '$', powershell: 'PS>' };

/** A person's session at a shell: what is shown as typed is what the shell is given, to the letter. */
export function openSession(
  shell: Shell,
  env: Readonly<Record<string, string>>,
  write: (text: string) => void,
): Session {
  const own = { ...env };
  let typed = 0;
  let stopped = false;
  let running: ChildProcess | undefined;
  const paint = (style: 'bold' | 'dim', text: string): string =>
    process.stdout.isTTY && !process.env['NO_COLOR'] ? styleText(style, text) : text;
  const type = (line: string): void => {
    typed++;
    write(`${paint('bold', `${PROMPT[shell]} ${line}`)}\n`);
  };

  const runShell = async (script: string): Promise<Ran> => {
    if (stopped) throw new Error('interrupted');
    const child = startShell(shell, script, own);
    running = child;
    const ran = await result(child);
    running = undefined;
    if (stopped) throw new Error('interrupted');
    return ran;
  };

  return {
    get typed() {
      return typed;
    },
    say: (text) => write(`\n${paint('dim', `# ${text.replaceAll('\n', '\n# ')}`)}\n`),
    set(name, value) {
      type(shell === 'sh' ? `export ${name}=${value}` : `$env:${name} = '${value}'`);
      own[name] = value;
    },
    async run(lines, wanted = {}) {
      const script = typeof lines === 'string' ? [lines] : lines;
      for (const line of script) type(line);
      const ran = await runShell(script.join('\n'));
      write(ran.stdout + ran.stderr);
      if (ran.code !== 0) write(paint('dim', `(exit code ${ran.code})\n`));
      check(script.join('; '), ran, wanted);
      return ran;
    },
    stop() {
      stopped = true;
      if (running?.pid !== undefined) killAll(running, running.pid);
    },
  };
}

function startShell(shell: Shell, script: string, env: Record<string, string>) {
  const [program, ...args] =
    shell === 'sh'
      ? ['sh', '-c', script]
      : // Without the last statement PowerShell turns every failure into exit code 1.
        ['powershell', '-NoProfile', '-NonInteractive', '-Command', `${script}\nexit $LASTEXITCODE`];
  // A process group of its own: what the shell started can be ended with it.
  return spawn(program!, args, {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
  });
}

function killAll(child: ChildProcess, pid: number): void {
  if (process.platform === 'win32') {
    spawnSync('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore' });
    return;
  }
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    child.kill('SIGKILL');
  }
}

function result(child: ReturnType<typeof startShell>): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const text = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (chunk: string) => {
        text[name] += chunk.replaceAll('\r\n', '\n');
      });
    }
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...text }));
  });
}

function check(line: string, ran: Ran, { code = 0, stdout = '', stderr = '' }: Wanted): void {
  if (!([code].flat() as (number | null)[]).includes(ran.code)) {
    throw new Error(`"${line}" exited with ${ran.code}, expected ${[code].flat().join(' or ')}`);
  }
  for (const [name, wanted] of [['stdout', stdout] as const, ['stderr', stderr] as const]) {
    const text = ran[name];
    const right =
      typeof wanted === 'string'
        ? text === wanted
        : typeof wanted === 'function'
          ? wanted(text)
          : wanted.test(text);
    if (right) continue;
    const should = typeof wanted === 'string' ? JSON.stringify(wanted) : String(wanted);
    throw new Error(`"${line}" printed ${JSON.stringify(text)} on ${name}, expected ${should}`);
  }
}
