#!/usr/bin/env node
/**
 * Tries the quick path, otherwise builds the whole World and runs the CLI in it. Only the programs in bin
 * touch `process`; modules that are not needed at every start are loaded on first use.
 */
import { quick } from '../src/cli/quick';
import { usage } from '../src/errors';
import { Interrupted, ReaderGone } from '../src/signals';
import { closeDebugger, openQuickWorld } from '../src/system/quick-world';
import { mayBeTerminal, writeAll } from '../src/system/terminal/streams';

declare const __VERSION__: string;

closeDebugger(process);
const opened = openQuickWorld(process);
const { quickWorld } = opened;
const argv = process.argv.slice(2);
void quick(argv, { ...quickWorld, mayBeTerminal: () => mayBeTerminal(1) }).then((answer) => {
  if (answer === undefined) endWith(runCli());
  else print(answer);
});

function print(text: string): void {
  try {
    writeAll(1, text);
  } catch (error) {
    endWith(runCli(error));
  }
}

/** Runs the whole program, or only reports why the quick path's answer could not be written. */
async function runCli(failure?: unknown): Promise<number> {
  if (failure instanceof ReaderGone) throw failure;
  const [{ openWorld }, cli] = await Promise.all([import('../src/system/world'), import('../src/cli/run')]);
  const { world, close } = openWorld(process, __VERSION__, opened);
  const { node } = process.versions;
  if (Number.parseInt(node, 10) < 20)
    return cli.report(usage(`gwtoken needs Node.js 20.19 or later; this is ${node}`), false, world);
  // A crash ends the process at once. For a rejection Node emits the first event too, Bun only the second.
  const crash = (error: unknown) => void cli.crash(argv, error, world).then((code) => process.exit(code));
  process.once('uncaughtException', crash);
  process.once('unhandledRejection', crash);
  try {
    return await (failure === undefined ? cli.run(argv, world) : cli.report(failure, false, world));
  } finally {
    await close();
  }
}

function endWith(run: Promise<number>): void {
  // If the event loop runs dry while a promise is pending, the caller must not take that for success.
  process.exitCode = 1;
  run.then(
    (code) => {
      process.exitCode = code;
    },
    (error) => {
      if (error instanceof ReaderGone) process.exitCode = error.exitCode;
      else if (error instanceof Interrupted) void dieOf(error.signal);
      else throw error;
    },
  );
}

async function dieOf(signal: NodeJS.Signals): Promise<void> {
  const { endBySignal } = await import('../src/system/processes/die-of-signal');
  endBySignal(process, signal);
}
