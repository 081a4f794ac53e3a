/** The whole World, for runs that the quick path cannot finish. Heavy modules are loaded at first use. */
import { resolve } from 'node:path';
import { once } from '../once';
import { hasPerson } from '../surroundings';
import type { Output, World } from '../world';
import { describeBuild, KEYCHAIN_CHILD } from './distribution';
import { readAll } from './files/read-file';
import { uniqueName } from './files/replace';
import { probeDirectory } from './files/trust';
import { openAppender, removeUserFile, replaceUserFile } from './files/user-file';
import { openKeychain } from './keychain/keychain';
import type { QuickStart } from './quick-world';
import { isForeground } from './terminal/job';
import { openSpinner } from './terminal/spinner';
import { isTerminal, writeAll } from './terminal/streams';
import { openTerminal } from './terminal/terminal';

/** Returns the World. `written` resolves once all output is written, which a Windows console delays. */
export function openWorld(
  proc: NodeJS.Process,
  release: Pick<World, 'version' | 'repository'>,
  { quickWorld, directories, host }: QuickStart,
): { readonly world: World; written(): Promise<unknown> } {
  const { env } = quickWorld;
  const { platform, uid } = host;
  const { stdin, stdout, stderr: rawStderr, written } = streamsOf(proc);
  const onSignals: World['onSignals'] = (signals, listener) => {
    for (const signal of signals) proc.on(signal, listener);
    return () => {
      for (const signal of signals) proc.off(signal, listener);
    };
  };
  const mayDraw = (): boolean =>
    hasPerson({ env, stderr: rawStderr }) && env['TERM'] !== 'dumb' && isForeground(platform);
  const { spin, stderr } = openSpinner(rawStderr, mayDraw, onSignals);
  const prompts = once(async () => (await import('./terminal/prompts')).openPrompts(proc, onSignals));
  const wire = once(async () => (await import('./wire/wire')).openWire(proc, { stderr }));
  const world: World = {
    ...quickWorld,
    ...release,
    stdin,
    stdout,
    stderr,
    terminal: { ...openTerminal({ env, stdin, stdout, stderr }, prompts), spin },
    keychain: openKeychain({
      platform,
      env,
      stderr,
      uid,
      childPath: KEYCHAIN_CHILD,
      // Loads Node's CAs while the keychain answers. Otherwise the request waits for them: 1/8 of a cold get.
      whileReading: () => void import('node:tls').then((tls) => tls.createSecureContext()).catch(() => {}),
    }),
    postForm: async (...call) => (await wire())(...call),
    runProgram: async (...call) =>
      (await import('./processes/run-program')).runProgram({ platform, onSignals }, ...call),
    programOutput: async (...call) =>
      (await import('./processes/program-output')).programOutput({ env, platform }, ...call),
    runCredentialCommand: async (...call) =>
      (await import('./processes/credential-command')).runCredentialCommand({ env, platform }, ...call),
    onSignals,
    checkCaFile: async (path) => void (await import('./wire/certificates')).trustFile(path, env),
    appender: openAppender,
    absolutePath: (path) => resolve(path),
    replaceFile: (path, text, isTokenFile) => replaceUserFile(path, text, host, isTokenFile),
    removeFile: removeUserFile,
    probeDirectory: (kind) => probeDirectory(kind, directories[kind], host),
    describeBuild: () => `${describeBuild(proc)} on ${platform} ${proc.arch}`,
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    // performance.now() would load ten of Node's modules, which takes 1 % of a cold `get`.
    monotonicMs: () => Number(proc.hrtime.bigint()) / 1e6,
    uniqueName,
    random: Math.random,
  };
  return { world, written };
}

/** Listens to SIGCHLD: if the caller ignores it, as daemons do, Bun does not learn how a child ended. */
export function learnChildEnds(proc: NodeJS.Process): void {
  proc.on('SIGCHLD', () => {});
}

/**
 * Returns the standard streams on bare descriptors. Only a Windows console gets Node's streams: they handle
 * its code page, and its switch for colours.
 */
function streamsOf(proc: NodeJS.Process): Pick<World, 'stdin' | 'stdout' | 'stderr'> & {
  written(): Promise<unknown>;
} {
  const pending: Promise<void>[] = [];
  const output = (descriptor: 1 | 2): Output => {
    const isTTY = (): boolean => isTerminal(descriptor, proc);
    return {
      isTTY,
      write(text) {
        if (proc.platform !== 'win32' || !isTTY()) return writeAll(descriptor, text);
        const stream = descriptor === 1 ? proc.stdout : proc.stderr;
        pending.push(new Promise((resolve) => void stream.write(text, () => resolve())));
      },
    };
  };
  return {
    stdin: { isTTY: () => isTerminal(0, proc), read: (limit) => readAll(proc.stdin, limit) },
    stdout: output(1),
    stderr: output(2),
    written: () => Promise.all(pending),
  };
}
