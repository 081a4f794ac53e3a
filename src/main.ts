/**
 * Builds the real World and runs the program in it. The only file that touches `process`; everything that is not
 * needed at every start is loaded where it is first used.
 */
import { GwtokenError, Interrupted, ReaderGone } from './errors';
import { readConfig, readKnownClients } from './system/config-file';
import type { Wire } from './system/http';
import type { Machine } from './system/machine';
import { configFolder } from './system/paths';
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
/** A signal still ends the program by itself, so that a calling script stops; the clean-up comes before it. */
const uponSignal = (cleanUp: () => void): (() => void) => {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const end = (signal: NodeJS.Signals): void => {
    forget();
    cleanUp();
    process.kill(process.pid, signal);
  };
  const forget = (): void => {
    for (const signal of signals) process.off(signal, end);
  };
  for (const signal of signals) process.on(signal, end);
  return forget;
};
const terminal = async () =>
  (await import('./system/terminal')).openTerminal(process.stdin, process.stderr, uponSignal);

let opened: Promise<Wire> | undefined;
const wire = (): Promise<Wire> => {
  opened ??= import('./system/http').then(({ openWire }) =>
    openWire({
      env,
      platform,
      nodeVersion: process.versions.node,
      warn: (line) => world.stderr.write(`gwtoken: warning: ${line}\n`),
    }),
  );
  return opened;
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
  fetch: async (url, init) => (await wire()).fetch(url, init),
  warmUp(url, options) {
    wire()
      .then(({ warmUp }) => warmUp(url, options))
      .catch(() => {});
  },
  now: Date.now,
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  random: Math.random,
  async readFile(path, limit) {
    const { readFileLimited } = await import('./system/read-limited');
    return readFileLimited(path, limit);
  },
  trace() {},
};

async function main(): Promise<void> {
  const { run } = await import('./cli');
  try {
    process.exitCode = await run(process.argv.slice(2), world);
  } finally {
    (await opened)?.close();
  }
}

main().catch((error) => {
  if (error instanceof ReaderGone) process.exitCode = error.exitCode;
  else if (error instanceof Interrupted) process.kill(process.pid, error.signal);
  else throw error;
});
