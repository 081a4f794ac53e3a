/**
 * Makes a system call of a run fail, one at a time, by strace(1): which call, its number, and the error that it gives.
 * Only those are counted that come after gwtoken's own first line, in whichever of its processes.
 */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../harness/root';
import { misbehaviour, type Session } from './sessions';

/** The errors that a call may well give, by its name. */
const ERRORS: Readonly<Record<string, readonly string[]>> = {
  openat: ['EIO', 'ENOSPC', 'EACCES', 'EMFILE', 'EINTR'],
  read: ['EIO', 'EINTR'],
  write: ['EIO', 'ENOSPC', 'EINTR'],
  rename: ['EIO', 'ENOSPC', 'EACCES'],
  fsync: ['EIO', 'ENOSPC', 'EINTR'],
  unlink: ['EIO', 'EACCES', 'EINTR'],
  connect: ['EIO', 'EACCES', 'EINTR'],
  socket: ['EMFILE', 'EACCES'],
  utimensat: ['EIO', 'EACCES'],
  mkdir: ['EIO', 'ENOSPC', 'EACCES'],
  fchmod: ['EIO', 'EACCES'],
};

export interface Fault {
  readonly call: string;
  /** The how manieth of its name in a process. */
  readonly number: number;
  readonly error: string;
  /** What it was about in the run that was looked at: the line of strace. */
  readonly about: string;
}

const strace = (...options: string[]): string[] => [
  ...['strace', '-f', '--seccomp-bpf', '-qq', '-yy', '-s', '40', ...options],
  // Or what hangs would stay when strace is killed.
  ...['setpriv', '--pdeathsig', 'KILL', '--'],
];
/** Its processes begin with these files. */
const PROGRAMS = /\/(gwtoken|keychain-child)\.cjs"/;
/**
 * Not gwtoken's: its own program's files, what Node, libc and the system's libraries read for themselves, and what Node
 * wakes its threads by.
 */
const OTHERS = [
  `${ROOT}/`,
  'anon_inode:',
  '/dev/null',
  '/dev/urandom',
  '/etc/',
  '/lib/',
  '/usr/',
  'AF_NETLINK',
  '<pipe:',
  '/proc/',
  '/sys/',
];

/** Runs a session and gives every fault that can meet it, the same call with each of its errors. */
export async function faultsOf(session: Session, dir: string): Promise<Fault[]> {
  await session.prepare();
  const trace = join(dir, 'trace');
  const calls = Object.keys(ERRORS);
  const result = await session.start({ wrapper: strace('-o', trace, '-e', `trace=${calls}`) }).result;
  const problem = misbehaviour(result) ?? (await session.undone(result));
  if (problem !== undefined) throw new Error(`${session.name} without a fault: ${problem}`);
  const counts = new Map<string, Map<string, number>>();
  const found = new Map<string, string>();
  const begun = new Set<string>();
  for (const line of readFileSync(trace, 'latin1').split('\n')) {
    const [, pid = '', call = '', rest = ''] = /^(\d+) +(\w+)\((.*)/.exec(line) ?? [];
    if (call === '') continue;
    const own = counts.get(pid) ?? counts.set(pid, new Map()).get(pid)!;
    const number = (own.get(call) ?? 0) + 1;
    own.set(call, number);
    if (PROGRAMS.test(rest)) begun.add(pid);
    if (!begun.has(pid) || OTHERS.some((text) => rest.includes(text))) continue;
    found.set(`${call} ${number}`, line);
  }
  rmSync(trace);
  return [...found].flatMap(([key, about]) => {
    const [call = '', number = ''] = key.split(' ');
    return ERRORS[call]!.map((error) => ({ call, number: Number(number), error, about }));
  });
}

export interface Met {
  readonly fault: Fault;
  readonly code: number | null;
  readonly ms: number;
  readonly stderr: string;
  /** What is wrong with how it ended, or with what it left; undefined when nothing is. */
  readonly problem: string | undefined;
}

/** For what the fault makes hang; a run without one may need more on a busy machine. */
const SHORT_LIMITS = { GWTOKEN_TIMEOUT: '3s', GWTOKEN_RETRIES: '0', GWTOKEN_KEYCHAIN_TIMEOUT: '5s' };

/** Runs a session with the fault; undefined where it has met none of gwtoken's own calls this time. */
export async function meet(session: Session, fault: Fault, dir: string): Promise<Met | undefined> {
  await session.prepare();
  const inject = `inject=${fault.call}:error=${fault.error}:when=${fault.number}`;
  const trace = join(dir, 'trace');
  const running = session.start({
    wrapper: strace('-o', trace, '-e', `trace=${fault.call}`, '-e', inject),
    env: SHORT_LIMITS,
    timeoutMs: 25_000,
  });
  // What threads wake each other by has no fixed place among the calls, and the runtime has no answer to its failure.
  const isOurs = (): boolean => {
    const failed = readFileSync(trace, 'latin1')
      .split('\n')
      .filter((line) => line.endsWith('(INJECTED)'));
    rmSync(trace);
    const others = [...OTHERS, ' resumed>'];
    return failed.length > 0 && !failed.some((line) => others.some((text) => line.includes(text)));
  };
  try {
    const result = await running.result;
    if (!isOurs()) return undefined;
    const undone = result.code === 0 ? await session.undone(result) : undefined;
    const problem = misbehaviour(result) ?? undone ?? (await session.broken());
    return { fault, code: result.code, ms: result.ms, stderr: result.stderr, problem };
  } catch (error) {
    return isOurs() ? { fault, code: null, ms: 25_000, stderr: '', problem: String(error) } : undefined;
  }
}
