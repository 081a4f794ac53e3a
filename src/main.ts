#!/usr/bin/env node
/**
 * Tries the quick path, otherwise builds the whole World and runs the CLI in it. Only this file touches `process`;
 * what is not needed at every start is loaded on first use.
 */
import { existsSync } from 'node:fs';
import { Interrupted, ReaderGone } from './errors';
import { quick } from './quick';
import { tokenFilesFolder } from './system/files/paths';
import { closeDebugger, leaveNoCore, type WithCoreDumps } from './system/processes/privacy';
import { mayBeTerminal, writeAll } from './system/terminal/streams';
import { openWarm } from './system/warm';

declare const __VERSION__: string;

closeDebugger(process);
let withCoreDumps: WithCoreDumps | undefined;
/** Called before the first secret is read: a run that only prints a cached token reads none, and does without. */
const beforeSecret = (): WithCoreDumps => {
  withCoreDumps ??= leaveNoCore(process);
  return withCoreDumps;
};
const opened = openWarm(process, beforeSecret);
const { warm, folders, machine } = opened;
const argv = process.argv.slice(2);
const answer = quick(argv, { ...warm, mayBeTerminal: () => mayBeTerminal(1) });
if (answer instanceof Promise) void answer.then(end);
else end(answer);

/** Prints the quick path's answer, or runs the CLI if there is none. */
function end(text: string | undefined): void {
  if (text === undefined) {
    endWith(runCli());
    return;
  }
  try {
    writeAll(1, text);
    void sweep();
  } catch (error) {
    endWith(runCli(error));
  }
}

/** Runs the whole program, or only reports why the quick path's answer could not be written. */
async function runCli(failure?: unknown): Promise<number> {
  if (failure instanceof ReaderGone) throw failure;
  const [{ openWorld }, cli] = await Promise.all([import('./system/world'), import('./cli/run')]);
  const { world, close } = openWorld(process, __VERSION__, opened, beforeSecret());
  await sweep();
  // Nothing else may continue. Node reports both by the first event, Bun each by its own.
  const crash = (error: unknown) => void cli.crash(argv, error, world).then((code) => process.exit(code));
  process.once('uncaughtException', crash);
  process.once('unhandledRejection', crash);
  try {
    return await (failure === undefined ? cli.run(argv, world) : cli.report(failure, false, world));
  } finally {
    await close();
  }
}

/** Removes the token files of an `exec` that was killed. */
async function sweep(): Promise<void> {
  const folder = tokenFilesFolder(folders.cache, machine.platform);
  if (folder === undefined || !existsSync(folder)) return;
  const { sweepTokenFiles } = await import('./system/files/token-files');
  sweepTokenFiles(folder, process, machine);
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
  const { endBySignal } = await import('./system/processes/die-of-signal');
  endBySignal(process, signal);
}
