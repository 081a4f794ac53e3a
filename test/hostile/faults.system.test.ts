/** Makes one system call of each kind fail, or the last one, by strace(1): in gwtoken's own, in any process. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { missing } from '../harness/needs';
import { ROOT } from '../harness/root';
import { misbehaviour, openSessions, type Session } from './sessions';

const isForbidden = spawnSync('strace', ['-o', '/dev/null', 'true']).status !== 0;
const reason =
  missing('strace', 'keyring') ?? (isForbidden ? 'needs ptrace(2), which is forbidden here' : undefined);

/** An error that a call may well give, by its name. */
const ERRORS: Readonly<Record<string, string>> = {
  openat: 'EMFILE',
  read: 'EIO',
  write: 'ENOSPC',
  rename: 'EACCES',
  fsync: 'EIO',
  unlink: 'EACCES',
  connect: 'EINTR',
  socket: 'EMFILE',
  utimensat: 'EACCES',
  mkdir: 'ENOSPC',
  fchmod: 'EIO',
};
/** Calls that change something: at these it is killed too, but for get, which the soak kills. */
const CHANGES = /^(write|rename|unlink|mkdir|connect)$/;
/** Its processes begin with these files. */
const PROGRAMS = /\/(gwtoken|keychain-child)\.cjs"/;
/** Not gwtoken's: its program's files, what Node and system libraries read, and what wakes Node's threads. */
const OTHERS = [
  'anon_inode:',
  '<{eventfd-',
  '/dev/null',
  '/dev/urandom',
  '/etc/',
  '/lib/',
  '/usr/',
  'AF_NETLINK',
  '<pipe:',
];
const isOther = (line: string) =>
  [...OTHERS, `${ROOT}/`, '/proc/', '/sys/'].some((text) => line.includes(text));

const strace = (...options: string[]): string[] => [
  ...['strace', '-f', '-q', '-yy', '-s', '40', ...options],
  // Or what hangs would stay when strace is killed.
  ...['setpriv', '--pdeathsig', 'KILL', '--'],
];

let sessions: readonly Session[] = [];
let trace: string;
beforeAll(async () => {
  if (reason !== undefined) return;
  const opened = await openSessions();
  sessions = opened.sessions;
  trace = join(opened.dir, 'trace');
});

test.for(['get', 'config set', 'login', 'logout'])(
  'one system call that fails, or at which it is killed, costs %s a code and a sentence at most, and nothing is lost',
  { timeout: 900_000 },
  async (name, { needs }) => {
    needs(reason);
    const session = sessions.find((each) => each.name === name)!;
    const calls = await callsOf(session);
    expect(calls.size).toBeGreaterThan(6);
    const wrong: string[] = [];
    let count = 0;
    for (const [call, numbers] of calls) {
      const number = numbers[Math.floor(numbers.length / 2)]!;
      const kill = CHANGES.test(call) && name !== 'get' ? ['signal=KILL'] : [];
      for (const fault of [`error=${ERRORS[call]}`, ...kill]) {
        const { isMet, problem } = await meet(session, call, number, fault);
        if (!isMet) continue;
        count++;
        if (problem !== undefined) wrong.push(`${call} ${number} ${fault}: ${problem}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(count).toBeGreaterThan(calls.size / 2);
  },
);

/** Runs a session, and gives of each call which of its name in a process are gwtoken's. */
async function callsOf(session: Session): Promise<Map<string, number[]>> {
  await session.prepare();
  const wrapper = strace('--seccomp-bpf', '-o', trace, '-e', `trace=${Object.keys(ERRORS)}`);
  const result = await session.start({ wrapper }).result;
  expect(misbehaviour(result) ?? (await session.undone(result))).toBeUndefined();
  const counts = new Map<string, number>();
  const begun = new Set<string>();
  const found = new Map<string, number[]>();
  for (const line of readFileSync(trace, 'latin1').split('\n')) {
    const [, pid = '', call = '', rest = ''] = /^(\d+) +(\w+)\((.*)/.exec(line) ?? [];
    if (call === '') continue;
    const number = (counts.get(`${pid} ${call}`) ?? 0) + 1;
    counts.set(`${pid} ${call}`, number);
    if (PROGRAMS.test(rest)) begun.add(pid);
    if (begun.has(pid) && !isOther(rest)) found.set(call, [...(found.get(call) ?? []), number]);
  }
  return found;
}

/** Runs a session with the fault, which may have met none of gwtoken's own calls this time. */
async function meet(session: Session, call: string, number: number, fault: string) {
  await session.prepare();
  const inject = ['-e', `trace=${call}`, '-e', `inject=${call}:${fault}:when=${number}`];
  // Faster, but it sends no signal.
  const filter = fault.startsWith('error') ? ['--seccomp-bpf'] : [];
  const running = session.start({
    wrapper: strace(...filter, '-o', trace, ...inject),
    // For what the fault makes hang; a run without one may need more on a busy machine.
    env: { GWTOKEN_TIMEOUT: '3s', GWTOKEN_RETRIES: '0', GWTOKEN_KEYCHAIN_TIMEOUT: '5s' },
    timeoutMs: 25_000,
  });
  const ended = await running.result.then(
    async (result) =>
      misbehaviour(result, 'SIGKILL') ?? (result.code === 0 ? await session.undone(result) : undefined),
    (error) => String(error),
  );
  const failed = readFileSync(trace, 'latin1')
    .split('\n')
    .filter((line) => /\(INJECTED\)$|killed by SIGKILL/.test(line));
  // Threads' wake-ups have no fixed place among the calls, and the runtime has no answer to a failed one.
  const isMet = failed.length > 0 && !failed.some((line) => isOther(line) || line.includes(' resumed>'));
  return { isMet, problem: ended ?? (isMet ? await session.broken() : undefined) };
}
