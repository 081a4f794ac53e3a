/** The whole World, used if the quick path is not enough. Heavy modules are loaded when first used. */

import { resolve } from 'node:path';
import { oneLine } from '../text';
import { hasPerson } from '../waiting';
import type { Keychain, Output, PostForm, Terminal, World } from '../world';
import { readAll } from './files/read-file';
import { probeFolder } from './files/trust';
import { openAppender, removeUserFile, replaceUserFile } from './files/user-file';
import { formOf, KEYCHAIN_CHILD } from './form';
import type { QuickStart } from './quick-world';
import { hasUnicode, isTerminal, noPrompt, painter } from './terminal/capabilities';
import { isForeground } from './terminal/foreground';
import type { Prompts } from './terminal/prompts';
import { openSpinner } from './terminal/spinner';
import { writeAll } from './terminal/streams';

type Streams = Pick<World, 'stdin' | 'stdout' | 'stderr'>;

/** Returns the World; `written` resolves once all output is out: a Windows console takes its time. */
export function openWorld(
  proc: NodeJS.Process,
  version: string,
  opened: QuickStart,
): { readonly world: World; written(): Promise<unknown> } {
  const { quickWorld, folders, host } = opened;
  const { platform } = host;
  const { written, stderr: bare, ...input } = streamsOf(proc);
  // The World's stderr is looked up at each call: tests replace it.
  const warn = (text: string): void => world.stderr.write(`gwtoken: warning: ${oneLine(text)}\n`);
  const onSignals: World['onSignals'] = (signals, heard) => {
    for (const signal of signals) proc.on(signal, heard);
    return () => {
      for (const signal of signals) proc.off(signal, heard);
    };
  };
  const mayDraw = (): boolean =>
    hasPerson({ env: proc.env, stderr: bare }) && proc.env['TERM'] !== 'dumb' && isForeground(platform);
  const spinner = openSpinner(bare.write, mayDraw, onSignals);
  const write = (text: string): void => {
    spinner.erase();
    bare.write(text);
  };
  const streams: Streams = { ...input, stderr: { ...bare, write } };
  const terminal = { ...terminalOf(proc, onSignals, opened, streams), spin: spinner.spin };
  const world: World = {
    ...quickWorld,
    version,
    platform,
    ...streams,
    warn,
    appender: openAppender,
    absolutePath: (path) => resolve(path),
    replaceFile: (path, text) => replaceUserFile(path, text, host),
    removeFile: removeUserFile,
    postForm: wireOf(proc, warn),
    onSignals,
    ...processesOf(proc, onSignals, opened),
    keychain: keychainOf(opened, streams),
    terminal,
    probes: {
      system: () => `${formOf(proc)} on ${platform} ${proc.arch}`,
      folder: async (which) => probeFolder(which, folders[which], host),
    },
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    after(ms, work) {
      const timer = setTimeout(work, ms);
      return () => clearTimeout(timer);
    },
    monotonicMs: () => performance.now(),
    random: Math.random,
  };
  return { world, written };
}

/**
 * Returns the standard streams on bare descriptors: Node's own cost 3 ms each at every start. But a Windows
 * console reads bytes in its own code page, and shows colours only on request; Node's streams handle that.
 */
function streamsOf(proc: NodeJS.Process): Streams & { written(): Promise<unknown> } {
  const pending: Promise<void>[] = [];
  const output = (descriptor: 1 | 2): Output => {
    const isTTY = (): boolean => isTerminal(descriptor, proc);
    return {
      isTTY,
      write(text) {
        if (proc.platform !== 'win32' || !isTTY()) return writeAll(descriptor, text);
        const console = descriptor === 1 ? proc.stdout : proc.stderr;
        pending.push(new Promise((resolve) => void console.write(text, () => resolve())));
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

function terminalOf(
  proc: NodeJS.Process,
  onSignals: World['onSignals'],
  { quickWorld: { env }, host: { platform } }: QuickStart,
  { stdin, stdout, stderr }: Streams,
): Omit<Terminal, 'spin'> {
  let opened: Promise<Prompts> | undefined;
  const open = async (): Promise<Prompts> =>
    (await import('./terminal/prompts')).openPrompts(proc, onSignals);
  const prompts = (): Promise<Prompts> => {
    opened ??= open();
    return opened;
  };
  return {
    noPrompt: () => noPrompt({ env, stdin, stderr }),
    hasUnicode: () => hasUnicode(env, platform),
    async page(text) {
      const isLong = text.split('\n').length > proc.stdout.rows;
      if (!isLong || !(await import('./terminal/pager')).page(text, proc)) stdout.write(text);
    },
    ask: async (...question) => (await prompts()).ask(...question),
    askSecret: async (...question) => (await prompts()).askSecret(...question),
    confirm: async (...question) => (await prompts()).confirm(...question),
    paint: async (stream) => painter(env, (stream === 'stdout' ? stdout : stderr).isTTY()),
  };
}

function wireOf({ env, platform, versions }: NodeJS.Process, warn: World['warn']): PostForm {
  let opened: Promise<PostForm> | undefined;
  const open = async (): Promise<PostForm> =>
    (await import('./wire/wire')).openWire({ env, platform, nodeVersion: versions.node, warn });
  return async (url, init) => {
    opened ??= open();
    return (await opened)(url, init);
  };
}

function keychainOf(
  { quickWorld: { env }, host: { platform, uid } }: QuickStart,
  { stderr }: Streams,
): Keychain {
  const keychain = async (): Promise<Keychain> => {
    const { openKeychain } = await import('./keychain/keychain');
    return openKeychain({ platform, env, stderr, uid, childPath: KEYCHAIN_CHILD });
  };
  return {
    probe: async (...call) => (await keychain()).probe(...call),
    get: async (...call) => (await keychain()).get(...call),
    set: async (...call) => (await keychain()).set(...call),
    delete: async (...call) => (await keychain()).delete(...call),
  };
}

/** Returns the functions that run programs for the user. */
function processesOf(
  proc: NodeJS.Process,
  onSignals: World['onSignals'],
  { host }: QuickStart,
): Pick<World, 'runCredentialCommand' | 'runProgram'> {
  return {
    runCredentialCommand: async (command, options) =>
      (await import('./processes/credential-command')).runCredentialCommand(
        command,
        options,
        proc,
        onSignals,
      ),
    runProgram: async (command, args, env, text) =>
      (await import('./processes/run-program')).runProgram(command, args, env, text, {
        platform: host.platform,
        onSignals,
      }),
  };
}
