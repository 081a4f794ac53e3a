import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Environment, run } from '../keyrings/session-bus';
import {
  freshHome,
  type Home,
  type ProgramOptions,
  type ProgramResult,
  runProgram,
} from '../programs/program';

export interface Session {
  readonly home: Home;
  readonly env: Record<string, string>;
  /** The folder of the config file. */
  readonly config: string;
  /** Runs gwtoken in this home; `env` comes on top of the session's. */
  gwtoken(args: readonly string[], more?: Partial<ProgramOptions>): Promise<ProgramResult>;
  remove(): void;
}

/** A home of its own, with nothing in it, and gwtoken in it; `env` is for instance a keyring's. */
export function openSession(env: Environment = {}): Session {
  const home = freshHome();
  const all = { ...env, ...home.env };
  return {
    home,
    env: all,
    config: join(home.env.XDG_CONFIG_HOME, 'gwtoken'),
    gwtoken: (args, more = {}) => runProgram(args, { ...more, env: { ...all, ...more.env } }),
    remove: home.remove,
  };
}

/** All that lies below a folder, as one line each: kind, mode, path and a digest of the content or a link's target. */
export function treeOf(dir: string): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const { mode, uid } = lstatSync(path);
      const content = entry.isSymbolicLink()
        ? readlinkSync(path)
        : entry.isFile()
          ? createHash('sha256').update(readFileSync(path)).digest('hex')
          : 'folder';
      return `${relative(dir, path)} ${mode.toString(8)} ${uid} ${content}`;
    })
    .sort();
}

/** The attributes that a stored item has, as secret-tool tells them. */
export function searchItem(env: Environment, account: string): Promise<string> {
  const search = ['search', '--all', 'service', 'gwtoken', 'account', account];
  return run('secret-tool', search, { PATH: process.env['PATH'] ?? '', ...env });
}

/** Removes an item, or does nothing when there is none. */
export async function clearItem(env: Environment, account: string): Promise<void> {
  const clear = ['clear', 'service', 'gwtoken', 'account', account];
  await run('secret-tool', clear, { PATH: process.env['PATH'] ?? '', ...env }).catch(() => {});
}

/** What every refused command line looks like: nothing on stdout, one error line, then hints and nothing else. */
export function expectRefusal(result: ProgramResult, code: number): void {
  const lines = result.stderr.split('\n');
  const told = `${result.stdout}|${result.stderr}`;
  if (
    result.code !== code ||
    result.stdout !== '' ||
    lines.pop() !== '' ||
    !/^gwtoken: error: [^\n]+[^.\n]$/.test(lines[0] ?? '') ||
    lines.length < 2 ||
    !lines.slice(1).every((line) => /^hint: ./.test(line))
  )
    throw new Error(`not a refusal with code ${code}: code ${result.code}, ${told}`);
}
