/**
 * Builds the real World and runs the program in it. The only file that touches `process`; everything that is not
 * needed at every start is loaded where it is first used.
 */
import { GwtokenError, Interrupted, ReaderGone, systemCode } from './errors';
import { readConfig, readKnownClients } from './system/config-file';
import { hasLeftovers } from './system/leftovers';
import type { Machine } from './system/machine';
import { cacheFolder, configFolder } from './system/paths';
import { writeAll } from './system/streams';
import type { Output, World } from './world';

declare const __VERSION__: string;

const { env, platform } = process;
const machine: Machine = { platform, uid: process.geteuid?.() };
const isTTY = (descriptor: number): boolean => process.getBuiltinModule('node:tty').isatty(descriptor);
const output = (descriptor: number): Output => ({
  isTTY: () => isTTY(descriptor),
  write: (text) => writeAll(descriptor, text),
});

const folder = configFolder(env, platform);
const inFolder = (name: string): string | undefined =>
  folder && `${folder}${platform === 'win32' ? '\\' : '/'}${name}`;
const ownFolder = (): string => {
  if (folder !== undefined) return folder;
  throw new GwtokenError('usage', 'there is no home folder to keep the configuration in', {
    hints: ['set HOME, or GWTOKEN_CONFIG_DIR to a folder of your own'],
  });
};

const keychain = async () => (await import('./system/keychain')).keychain;
const configStore = () => import('./system/config-store');
const terminal = async () => (await import('./system/terminal')).openTerminal(process);

const cache = cacheFolder(env, platform);
const tokenFilesFolder = cache && `${cache}${platform === 'win32' ? '\\' : '/'}exec`;
const tokenFiles = () => import('./system/token-files');
const owner = {
  pid: process.pid,
  isAlive(pid: number) {
    try {
      process.kill(pid, 0);
      return true;
    } catch (error) {
      return systemCode(error) === 'EPERM';
    }
  },
};

const world: World = {
  version: __VERSION__,
  platform,
  env,
  stdin: {
    isTTY: () => isTTY(0),
    async read(limit) {
      const { readAll } = await import('./system/read-limited');
      return readAll(process.stdin, limit);
    },
  },
  stdout: output(1),
  stderr: output(2),
  terminal: {
    canAsk: () => isTTY(0) && isTTY(2) && !env['CI'] && env['TERM'] !== 'dumb',
    ask: async (...question) => (await terminal()).ask(...question),
    askSecret: async (...question) => (await terminal()).askSecret(...question),
    choose: async (...question) => (await terminal()).choose(...question),
    confirm: async (...question) => (await terminal()).confirm(...question),
    spin: async (label, work) =>
      isTTY(2) && !env['CI'] && env['TERM'] !== 'dumb' ? (await terminal()).spin(label, work) : work(),
    paint: async (stream) =>
      (await import('./system/colour')).painter(env, isTTY(stream === 'stdout' ? 1 : 2)),
  },
  config: {
    path: () => inFolder('config.json'),
    read: () => readConfig(inFolder('config.json'), machine),
    edit: async (edits) => (await configStore()).editConfig(ownFolder(), machine, edits),
    checkWritable: async () => (await configStore()).checkWritable(ownFolder(), 'config', machine),
  },
  clients: {
    path: () => inFolder('clients.json'),
    read: () => readKnownClients(inFolder('clients.json'), machine),
    add: async (name, entry) => (await configStore()).addKnownClient(ownFolder(), machine, name, entry),
    remove: async (names) => (await configStore()).removeKnownClients(ownFolder(), machine, names),
  },
  keychain: {
    probe: async () => (await keychain()).probe(),
    get: async (account) => (await keychain()).get(account),
    set: async (account, value) => (await keychain()).set(account, value),
    delete: async (account) => (await keychain()).delete(account),
  },
  fetch: async (url, init) => (await import('./system/http')).post(url, init),
  now: Date.now,
  onSignals(signals, heard) {
    for (const signal of signals) process.on(signal, heard);
    return () => {
      for (const signal of signals) process.off(signal, heard);
    };
  },
  prepareChild: async () => (await import('./system/child')).prepareChild(world.onSignals, platform),
  async createTokenFile(text) {
    if (tokenFilesFolder === undefined) {
      throw new GwtokenError('local', 'there is no home folder to keep a token file in', {
        hints: ['set HOME, or GWTOKEN_CACHE_DIR to a folder of your own'],
      });
    }
    return (await tokenFiles()).createTokenFile(tokenFilesFolder, owner, machine, text);
  },
  async readFile(path, limit) {
    const { readFileLimited } = await import('./system/read-limited');
    return readFileLimited(path, limit);
  },
  trace() {},
};

async function main(): Promise<void> {
  if (hasLeftovers(tokenFilesFolder)) (await tokenFiles()).sweepTokenFiles(tokenFilesFolder, owner, machine);
  const argv = process.argv.slice(2);
  const { run, exitCodeOfCrash } = await import('./cli');
  // Node prints what was not caught, and sets the exit code to 1 before it says that it ends.
  process.on('uncaughtExceptionMonitor', () => {
    const exitCode = exitCodeOfCrash(argv, world);
    process.once('exit', () => {
      process.exitCode = exitCode;
    });
  });
  process.exitCode = await run(argv, world);
}

main().catch(async (error) => {
  if (error instanceof ReaderGone) process.exitCode = error.exitCode;
  else if (error instanceof Interrupted) (await import('./system/ending')).endBySignal(process, error.signal);
  else throw error;
});
