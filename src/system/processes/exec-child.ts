/**
 * The program that `gwtoken exec` runs, with gwtoken's own stdin, stdout, stderr, process group and terminal, so that
 * Ctrl-C, Ctrl-Z and full-screen programs work as without gwtoken. cross-spawn is for Windows' `.cmd` and PATHEXT
 * only. Not used: execa (more than is needed, an ES module tree of 30 files), node:child_process (no `.cmd`).
 */
import type { ChildProcess, SpawnOptions } from 'node:child_process';
import * as fs from 'node:fs';
import type { Writable } from 'node:stream';
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
    run: (command, args, env, text) =>
      new Promise<ChildEnd>((resolve, reject) => {
        checkExact([command, ...args], env);
        const fail = (error: unknown): void => reject(startError(error, command, args, platform));
        try {
          child = startProgram(command, args, env as NodeJS.ProcessEnv, { platform, text });
        } catch (error) {
          return fail(error);
        }
        // A running child can have errors too, such as a signal that may not be sent to it (sudo). They do not matter.
        child.on('error', (error) => {
          if (child?.pid === undefined || systemCode(error) === 'ENOENT') fail(error);
        });
        child.on('exit', (code, signal) => {
          if (code === NOT_FOUND && text !== undefined) fail({ code: 'ENOENT' });
          else resolve({ code, signal });
        });
        for (const signal of early) child.kill(signal);
      }),
  };
}

/**
 * Node reads arguments and variables as UTF-8 and replaces each byte that is none by U+FFFD, so the command would get
 * different bytes: `rm` might remove another file.
 *
 * @throws GwtokenError `usage`
 */
function checkExact(words: readonly string[], env: Env): void {
  const word = words.find((each) => each.includes('\uFFFD'));
  const name = Object.keys(env).find((each) => `${each}${env[each]}`.includes('\uFFFD'));
  if (word === undefined && name === undefined) return;
  const what = word === undefined ? `environment variable ${name}` : `argument ${quoted(word)}`;
  throw usage(
    `the ${what} is not UTF-8, so the command would get different bytes`,
    `${name === undefined ? '' : `unset ${name}, or `}run the command without gwtoken, after: eval $(gwtoken env)`,
  );
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

/** What the shell answers with if there is no such program. */
const NOT_FOUND = 127;

/**
 * Node's own pipes are sockets, which Linux does not open as /dev/fd/3, so a shell makes a pipe of one: by a here-document
 * if that is one (in some shells it is a file), and the program takes the shell's place.
 */
const WITH_PIPE = `command -v "$1" >/dev/null || exit 127
exec 4<&0
case \${KSH_VERSION-}\${ZSH_VERSION-}:\${BASH_VERSION-} in
: | :5.[1-9]* | :[6-9]*) exec "$@" 3<<END 4<&-
$(cat <&3 4<&-)
END
;;
*) cat <&3 4<&- | exec "$@" 3<&0 <&4 4<&-
esac`;

/**
 * @param text what the program finds at /dev/fd/3, or on Windows on stdin
 * @throws the system's error, if it is not an event of the child
 */
function startProgram(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  { platform, text }: { readonly platform: NodeJS.Platform; readonly text: string | undefined },
): ChildProcess {
  const options: SpawnOptions = { stdio: 'inherit', env };
  // cross-spawn passes what is no file to cmd.exe: its built-in commands, with mangled arguments, and if one of
  // them fails it reports that there is none.
  if (platform === 'win32' && !spawn._parse(command, [...args], options).file)
    throw Object.assign(new Error(`spawn ${command} ENOENT`), { code: 'ENOENT' });
  if (text === undefined) return spawn(command, [...args], options);
  const child =
    platform === 'win32'
      ? spawn(command, [...args], { ...options, stdio: ['pipe', 'inherit', 'inherit'] })
      : spawn('/bin/sh', ['-c', WITH_PIPE, 'sh', command, ...args], {
          ...options,
          stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
        });
  const pipe = child.stdio[platform === 'win32' ? 0 : 3] as Writable;
  // It fails if the program has ended without reading.
  pipe.on('error', () => {}).end(text);
  return child;
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
