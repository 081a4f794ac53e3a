/**
 * The program that `gwtoken exec` runs, with gwtoken's own stdin, stdout, stderr, process group and terminal, so that
 * Ctrl-C, Ctrl-Z and full-screen programs work as without gwtoken. cross-spawn is for Windows' `.cmd` and PATHEXT
 * only. Not used: execa (more than is needed, an ES module tree of 30 files), node:child_process (no `.cmd`).
 */
import { isUtf8 } from 'node:buffer';
import type { ChildProcess, SpawnOptions } from 'node:child_process';
import * as fs from 'node:fs';
import { isatty } from 'node:tty';
import spawn from 'cross-spawn';
import { GwtokenError, messageOf, systemCode, usage } from '../../errors';
import { quoted } from '../../text';
import type { ChildEnd, Env, PreparedChild, World } from '../../world';
import { procStat } from './proc-stat';

/** Sent by whatever supervises gwtoken, and meant for the program that it runs. */
const PASSED_ON: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'];
/** Sent by a terminal to its whole foreground group, including the child. */
const FROM_TERMINAL: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];
/** A console's events on Windows, which reach every program in the console. */
const FROM_CONSOLE: readonly NodeJS.Signals[] = ['SIGINT', 'SIGBREAK', 'SIGHUP'];

export function prepareChild(onSignals: World['onSignals'], platform: NodeJS.Platform): PreparedChild {
  let child: ChildProcess | undefined;
  const early: NodeJS.Signals[] = [];
  const release = onSignals(
    platform === 'win32' ? FROM_CONSOLE : [...PASSED_ON, ...FROM_TERMINAL],
    (signal) => {
      // Before its start the child cannot have received the signal from anyone else.
      if (child === undefined) early.push(signal);
      else if (platform !== 'win32' && !(FROM_TERMINAL.includes(signal) && isForeground(platform)))
        child.kill(signal);
    },
  );
  return {
    release,
    async run(command, args, env) {
      checkExact([command, ...args], env);
      const end = await new Promise<ChildEnd>((resolve, reject) => {
        const fail = (error: unknown): void => reject(startError(error, command, args, platform));
        try {
          child = startProgram(command, args, env as NodeJS.ProcessEnv, platform);
        } catch (error) {
          return fail(error);
        }
        // A running child can have errors too, such as a signal that may not be sent to it (sudo). They do not matter.
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

/** What Node replaces each invalid UTF-8 byte with. */
const REPLACED = '\uFFFD';

/**
 * Node reads arguments and variables as UTF-8, so invalid bytes would reach the command as different bytes: `rm` might
 * remove another file. Linux still has the original bytes; elsewhere the replacement character is taken as proof.
 *
 * @throws GwtokenError `usage`
 */
function checkExact(words: readonly string[], env: Env): void {
  const isChanged = (each: string) => notUtf8('cmdline')?.includes(each) ?? true;
  const word = words.find((each) => each.includes(REPLACED) && isChanged(each));
  // In the original, since Node leaves out a variable whose name has such bytes: the command would not get it.
  const names = notUtf8('environ')?.map((entry) => entry.replace(/=.*/s, '')) ?? Object.keys(env);
  const name = names.find((each) => `${each}${env[each]}`.includes(REPLACED));
  if (word === undefined && name === undefined) return;
  throw usage(
    word === undefined
      ? `the environment variable ${name} is not UTF-8, so the command would get different bytes`
      : `the argument ${quoted(word)} is not UTF-8, so the command would get different bytes`,
    name === undefined
      ? 'run the command without gwtoken exec, after: eval $(gwtoken env)'
      : `unset ${name}, or run the command without gwtoken exec, after: eval $(gwtoken env)`,
  );
}

/**
 * Those of gwtoken's own arguments or variables that are not UTF-8 as the kernel has them, in the text that Node makes of
 * them; undefined where there is no /proc.
 */
function notUtf8(file: 'cmdline' | 'environ'): string[] | undefined {
  let text: string;
  try {
    text = fs.readFileSync(`/proc/self/${file}`, 'latin1');
  } catch {
    return undefined;
  }
  const entries = text.split('\0').map((entry) => Buffer.from(entry, 'latin1'));
  return entries.filter((entry) => !isUtf8(entry)).map(String);
}

/**
 * Whether gwtoken, and with it the child, belongs to the group that its terminal sends signals to. Without Linux's
 * /proc it is enough to have a terminal at all.
 */
function isForeground(platform: NodeJS.Platform): boolean {
  try {
    if (platform === 'linux') {
      const self = procStat('self');
      return self !== undefined && self.group === self.foregroundGroup;
    }
    fs.closeSync(fs.openSync('/dev/tty', fs.constants.O_RDONLY | fs.constants.O_NOCTTY));
    return true;
  } catch {
    return false;
  }
}

/**
 * When it ends, Node restores the terminal's initial state, even from the background. What the child
 * changed (`stty -echo`), or an editor in the foreground meanwhile, must stay, so Node's three descriptors of it
 * are closed. Another one stays open to the end: a terminal that nobody holds hangs up on the remaining processes.
 */
function leaveTerminal(platform: NodeJS.Platform): void {
  if (platform === 'win32') return;
  const descriptors = [0, 1, 2].filter((descriptor) => isatty(descriptor));
  try {
    fs.openSync('/dev/tty', fs.constants.O_RDONLY | fs.constants.O_NOCTTY);
    for (const descriptor of descriptors) fs.closeSync(descriptor);
  } catch {
    // Not our terminal: Node may do as it likes.
  }
}

/** @throws the system's error, if it is not an event of the child */
function startProgram(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
): ChildProcess {
  const options: SpawnOptions = { stdio: 'inherit', env };
  // cross-spawn passes what is no file to cmd.exe: its built-in commands, with mangled arguments, and if one of
  // them fails it reports that there is none.
  if (platform === 'win32' && !spawn._parse(command, [...args], options).file)
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
    return new GwtokenError('not-found', `command not found: ${name}`, {
      hints: [
        line
          ? `to run a shell command line: gwtoken exec -- ${platform === 'win32' ? 'cmd /d /c …' : "sh -c '…'"}`
          : platform === 'win32'
            ? 'check the spelling and PATH; to run a cmd.exe built-in: gwtoken exec -- cmd /d /c …'
            : 'check the spelling and PATH; shell aliases and functions do not work here',
      ],
      cause: error,
    });
  }
  const problem = stat?.isDirectory()
    ? 'is a directory'
    : code === 'ENOENT'
      ? 'has a #! line with an interpreter that does not exist'
      : code === 'EACCES'
        ? 'is not executable'
        : code === 'E2BIG'
          ? 'has too many or too long arguments and variables'
          : `was rejected by the system (${code ?? messageOf(error)})`;
  return new GwtokenError('not-runnable', `cannot run ${name}: it ${problem}`, {
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
