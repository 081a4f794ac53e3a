#!/usr/bin/env node
/**
 * Tries the quick path, otherwise builds the whole World and runs the CLI in it. Only the programs in bin
 * touch `process`; modules that are not needed at every start are loaded on first use.
 */
import { quick } from '../src/cli/quick';
import { Interrupted, ReaderGone } from '../src/signals';
import { disableDebuggerSignal, openQuickWorld } from '../src/system/quick-world';
import { mayBeTerminal, writeAll } from '../src/system/terminal/streams';
import type { World } from '../src/world';

declare const __RELEASE__: Pick<World, 'version' | 'repository'>;

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  writeAll(2, `gwtoken: error: gwtoken needs Node.js 20.19 or later; this is ${process.version}\n`);
  process.exit(2);
}
disableDebuggerSignal(process);
// Exit code 1 unless the run sets another: an event loop that runs dry must not look like success.
process.exitCode = 1;
const quickStart = openQuickWorld(process);
const argv = process.argv.slice(2);
/** The error of writing the quick path's answer; undefined if the CLI has to answer. */
const writeFailure = answerQuickly();
// Exits without waiting for open connections, because all output has been written.
void runCli(writeFailure).then((code) => process.exit(code), endByError);

/** Writes the quick path's answer and exits. Returns the error of writing; undefined without an answer. */
function answerQuickly(): unknown {
  const answer = quick(argv, { ...quickStart.quickWorld, mayBeTerminal: () => mayBeTerminal(1) });
  if (answer === undefined) return undefined;
  try {
    writeAll(1, answer);
  } catch (error) {
    return error;
  }
  return process.exit(0);
}

/** Runs the CLI, or reports the failure to write the quick path's answer. Resolves with the exit code. */
async function runCli(writeFailure: unknown): Promise<number> {
  const [system, cli] = await Promise.all([import('../src/system/world'), import('../src/cli/run')]);
  system.learnChildEnds(process);
  const { world, written } = system.openWorld(process, __RELEASE__, quickStart);
  // A crash ends the process at once. Both events are needed: for a rejection Bun emits only the second.
  const crash = (error: unknown) =>
    void cli.failWith(argv, error, world).then((code) => process.exit(code), endByError);
  process.once('uncaughtException', crash);
  process.once('unhandledRejection', crash);
  try {
    return await (writeFailure === undefined
      ? cli.run(argv, world)
      : cli.failWith(argv, writeFailure, world));
  } finally {
    await written();
  }
}

async function endByError(error: unknown): Promise<void> {
  if (error instanceof ReaderGone) process.exit(error.exitCode);
  if (!(error instanceof Interrupted)) throw error;
  const { endBySignal } = await import('../src/system/processes/end-by-signal');
  endBySignal(process, error);
}

// biome-ignore lint/complexity/noUselessEmptyExport: without exports, rolldown wraps each bundled module.
export {};
