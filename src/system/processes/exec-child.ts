/**
 * The program that `gwtoken exec` runs, with gwtoken's own stdin, stdout, stderr, process group and terminal, so that
 * Ctrl-C, Ctrl-Z and full-screen programs work as without gwtoken. cross-spawn is for Windows' `.cmd` and PATHEXT
 * alone. Passed over: execa (more than is needed, an ES module tree of 30 files), node:child_process (no `.cmd`).
 */
import { isUtf8 } from 'node:buffer';
import type { ChildProcess, SpawnOptions } from 'node:child_process';
import * as fs from 'node:fs';
import { isatty } from 'node:tty';
import spawn from 'cross-spawn';
import { GwtokenError, messageOf, systemCode } from '../../errors';
import { oneLine, quoted } from '../../text';
import type { ChildEnd, PreparedChild } from '../../world/processes';
import type { Env } from '../../world/streams';
import type { World } from '../../world/world';
import type { WithCoreDumps } from './privacy';
import { procStat } from './proc-stat';

/** Sent by whoever supervises gwtoken, and meant for what it runs. */
const PASSED_ON: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'];
/** Sent by a terminal to all of its foreground group, and so to the child too. */
const FROM_TERMINAL: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];
/** A console's events on Windows, which reach every program of the console. */
const FROM_CONSOLE: readonly NodeJS.Signals[] = ['SIGINT', 'SIGBREAK', 'SIGHUP'];

export function prepareChild(
  onSignals: World['onSignals'],
  platform: NodeJS.Platform,
  withCoreDumps: WithCoreDumps,
): PreparedChild {
  let child: ChildProcess | undefined;
  const early: NodeJS.Signals[] = [];
  const release = onSignals(
    platform === 'win32' ? FROM_CONSOLE : [...PASSED_ON, ...FROM_TERMINAL],
    (signal) => {
      // Before it is started the child cannot have got the signal from anyone else.
      if (child === undefined) early.push(signal);
      else if (platform !== 'win32' && !(FROM_TERMINAL.includes(signal) && isForeground(platform)))
        child.kill(signal);
    },
  );
  return {
    release,
    async run(command, args, env) {
      checkExact([command, ...args], env, platform);
      const end = await new Promise<ChildEnd>((resolve, reject) => {
        const fail = (error: unknown): void => reject(startError(error, command, args, platform));
        try {
          child = withCoreDumps(() => startProgram(command, args, env as NodeJS.ProcessEnv, platform));
        } catch (error) {
          return fail(error);
        }
        // A running child has errors too, such as a signal that may not be sent to it (sudo). They change nothing.
        child.on('error', (error) => {
          if (child?.pid === undefined || systemCode(error) === 'ENOENT') fail(error);
        });
        child.on('exit', (code, signal) => resolve({ code, signal }));
        for (const signal of early) child.kill(signal);
      });
      leaveTerminal(platform);
      return end;
    },
  };
}

/** What Node makes of each byte that is not UTF-8. */
const REPLACED = '\uFFFD';

/**
 * Node reads arguments and variables as UTF-8, so bytes that are none would reach the command as other bytes: `rm` might
 * remove another file. What was there in the first place tells Linux; elsewhere nothing does, and the mark is enough.
 *
 * @throws GwtokenError `usage`
 */
function checkExact(words: readonly string[], env: Env, platform: NodeJS.Platform): void {
  const isChanged = (file: 'cmdline' | 'environ', start: string): boolean =>
    platform !== 'linux' ||
    inOriginal(file).some((entry) => !isUtf8(entry) && String(entry).startsWith(start));
  const word = words.find((each) => each.includes(REPLACED) && isChanged('cmdline', each));
  const [name] =
    Object.entries(env).find(
      ([each, value = '']) => `${each}${value}`.includes(REPLACED) && isChanged('environ', `${each}=`),
    ) ?? [];
  if (word === undefined && name === undefined) return;
  throw new GwtokenError(
    'usage',
    word === undefined
      ? `the variable ${oneLine(name ?? '')} is not UTF-8 text, so the command would get other bytes`
      : `the argument ${quoted(word)} is not UTF-8 text, so the command would get other bytes`,
    {
      hints: [
        name === undefined
          ? 'run the command from your shell instead: eval $(gwtoken env)'
          : `unset ${oneLine(name)}, or run the command from your shell instead: eval $(gwtoken env)`,
      ],
    },
  );
}

/** gwtoken's own arguments or variables as the kernel has them. */
function inOriginal(file: 'cmdline' | 'environ'): Buffer[] {
  const bytes = fs.readFileSync(`/proc/self/${file}`);
  const entries: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0, start);
    entries.push(bytes.subarray(start, end < 0 ? bytes.length : end));
    start = end < 0 ? bytes.length : end + 1;
  }
  return entries;
}

/**
 * Whether gwtoken, and with it the child, belongs to the group that its terminal sends signals to. Without Linux' /proc
 * having a terminal at all has to do.
 */
function isForeground(platform: NodeJS.Platform): boolean {
  try {
    if (platform === 'linux') {
      const self = procStat('self');
      return self !== undefined && self.terminal !== 0 && self.group === self.foregroundGroup;
    }
    fs.closeSync(fs.openSync('/dev/tty', fs.constants.O_RDONLY | fs.constants.O_NOCTTY));
    return true;
  } catch {
    return false;
  }
}

/**
 * Node puts a terminal back, at its end, into the state that it found it in, even from the background. What the child
 * made of it (`stty -echo`), or an editor in the foreground meanwhile, has to stand, so Node's three descriptors of it
 * are closed. Another one is kept to the end: a terminal that nobody holds hangs up on those who are still there.
 */
function leaveTerminal(platform: NodeJS.Platform): void {
  if (platform === 'win32') return;
  const descriptors = [0, 1, 2].filter((descriptor) => isatty(descriptor));
  if (descriptors.length === 0) return;
  try {
    fs.openSync('/dev/tty', fs.constants.O_RDONLY | fs.constants.O_NOCTTY);
    for (const descriptor of descriptors) fs.closeSync(descriptor);
  } catch {
    // Not our terminal: Node may do as it always does.
  }
}

/** How cross-spawn finds the file, which its types leave out. */
const { _parse: parse } = spawn as unknown as {
  _parse(command: string, args: string[], options: SpawnOptions): { file?: string };
};

/** @throws the system's error, where it does not come as an event of the child's */
function startProgram(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
): ChildProcess {
  const options: SpawnOptions = { stdio: 'inherit', env };
  // cross-spawn has cmd.exe run what is no file: its built-in commands, with their arguments mangled, and when one of
  // them fails it says that there is none.
  if (platform === 'win32' && !parse(command, [...args], options).file)
    throw Object.assign(new Error(`spawn ${command} ENOENT`), { code: 'ENOENT' });
  return spawn(command, [...args], options);
}

function startError(
  error: unknown,
  command: string,
  args: readonly string[],
  platform: NodeJS.Platform,
): GwtokenError {
  const code = systemCode(error);
  const name = JSON.stringify(command.length > 100 ? `${command.slice(0, 100)}…` : command);
  const stat = /[\\/]/.test(command) ? statOf(command) : undefined;
  if (code === 'ENOENT' && !stat) {
    const line = args.length === 0 && /[\s|&;<>$]/.test(command);
    return new GwtokenError('not-found', `there is no command ${name}`, {
      hints: [
        line
          ? `for a line of shell: gwtoken exec -- ${platform === 'win32' ? 'cmd /d /c …' : "sh -c '…'"}`
          : platform === 'win32'
            ? "check its spelling and PATH; cmd.exe's own commands need it: gwtoken exec -- cmd /d /c …"
            : 'check its spelling and PATH; aliases and functions are known to your shell alone',
      ],
      cause: error,
    });
  }
  const problem = stat?.isDirectory()
    ? 'is a folder'
    : code === 'ENOENT'
      ? 'names an interpreter in its first line that does not exist'
      : code === 'EACCES'
        ? 'is not executable'
        : code === 'E2BIG'
          ? 'gets more arguments and variables than the system takes'
          : `was refused by the system (${code ?? messageOf(error)})`;
  return new GwtokenError('not-runnable', `the command ${name} cannot be run: it ${problem}`, {
    cause: error,
  });
}

function statOf(path: string): fs.Stats | undefined {
  try {
    return fs.statSync(path);
  } catch {
    return undefined;
  }
}
