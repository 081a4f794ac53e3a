/** Makes single system calls of gwtoken's processes fail, or kills gwtoken at them, with strace(1). */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { missing } from '../harness/needs';
import { ROOT } from '../harness/root';
import { type Command, misbehaviour, openScenario, type Scenario } from './scenarios';

const isForbidden = spawnSync('strace', ['-o', '/dev/null', 'true']).status !== 0;
const reason =
  missing('strace', 'keyring') ?? (isForbidden ? 'needs ptrace(2), which is forbidden here' : undefined);

/** A plausible error for each system call. */
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
/** System calls that change something. gwtoken is also killed at these, except get, which the soak test kills. */
const CHANGES = /^(write|rename|unlink|mkdir)$/;
/** System calls of login and logout in code that config set (files) or get (the request) also runs. */
const SHOWN_BY_OTHERS = ['mkdir', 'fsync', 'socket', 'connect'];
/** The program of a process of gwtoken. Calls before the process opens this file belong to Node. */
const PROGRAMS = /\/(gwtoken|keychain-child)\.cjs"/;
/** Paths and objects of calls that do not belong to gwtoken: of Node, system libraries and the program's files. */
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
  // Otherwise a hanging process would survive the end of strace.
  ...['setpriv', '--pdeathsig', 'KILL', '--'],
];

/** Declares the test of one command. Each has a file of its own, because each takes up to two minutes. */
export function testFaults(command: Command): void {
  let scenario: Scenario;
  beforeAll(async () => {
    if (reason === undefined) scenario = await openScenario(command);
  });

  test('reports each failed system call, and loses nothing even if it is killed', {
    timeout: 900_000,
  }, async ({ needs }) => {
    needs(reason);
    const calls = await callsOf(scenario);
    if (['login', 'logout'].includes(command)) for (const call of SHOWN_BY_OTHERS) calls.delete(call);
    // The names are in the order of their first call: the new config is on the disk before it is renamed.
    if (command === 'config set')
      expect([...calls.keys()].filter((call) => /^(fsync|rename)$/.test(call))).toEqual(['fsync', 'rename']);
    expect(calls.size).toBeGreaterThan(4);
    const wrong: string[] = [];
    let count = 0;
    for (const [call, numbers] of calls) {
      const number = numbers[Math.floor(numbers.length / 2)]!;
      const kill = CHANGES.test(call) && command !== 'get' ? ['signal=KILL'] : [];
      for (const fault of [`error=${ERRORS[call]}`, ...kill]) {
        const { isInjected, problem } = await runWithFault(scenario, call, number, fault);
        if (!isInjected) continue;
        count++;
        if (problem !== undefined) wrong.push(`${call} ${number} ${fault}: ${problem}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(count).toBeGreaterThan(calls.size / 2);
  });
}

/** Runs a scenario and returns the calls to fail: for each name, the numbers of those calls in their process. */
async function callsOf(scenario: Scenario): Promise<Map<string, number[]>> {
  await scenario.prepare();
  const wrapper = strace('--seccomp-bpf', '-o', scenario.trace, '-e', `trace=${Object.keys(ERRORS)}`);
  const result = await scenario.start({ wrapper }).result;
  expect(misbehaviour(result) ?? (await scenario.undone(result))).toBeUndefined();
  const counts = new Map<string, number>();
  const begun = new Set<string>();
  const found = new Map<string, number[]>();
  for (const line of readFileSync(scenario.trace, 'latin1').split('\n')) {
    const [, pid = '', call = '', rest = ''] = /^(\d+) +(\w+)\((.*)/.exec(line) ?? [];
    if (call === '') continue;
    const number = (counts.get(`${pid} ${call}`) ?? 0) + 1;
    counts.set(`${pid} ${call}`, number);
    if (PROGRAMS.test(rest)) begun.add(pid);
    if (begun.has(pid) && !isOther(rest)) found.set(call, [...(found.get(call) ?? []), number]);
  }
  return found;
}

/** Runs a scenario with the fault. `isInjected` is false if the fault hit no call of gwtoken this time. */
async function runWithFault(scenario: Scenario, call: string, number: number, fault: string) {
  const { trace } = scenario;
  await scenario.prepare();
  const inject = ['-e', `trace=${call}`, '-e', `inject=${call}:${fault}:when=${number}`];
  // --seccomp-bpf is faster, but cannot send a signal.
  const filter = fault.startsWith('error') ? ['--seccomp-bpf'] : [];
  const running = scenario.start({
    wrapper: strace(...filter, '-o', trace, ...inject),
    // Short limits end a run that the fault makes hang. A run without a fault can need longer ones.
    env: { GWTOKEN_TIMEOUT: '3s', GWTOKEN_RETRIES: '0', GWTOKEN_KEYCHAIN_TIMEOUT: '5s' },
    timeoutMs: 25_000,
  });
  const ended = await running.result.then(
    async (result) =>
      misbehaviour(result, 'SIGKILL') ?? (result.code === 0 ? await scenario.undone(result) : undefined),
    (error) => String(error),
  );
  const failed = readFileSync(trace, 'latin1')
    .split('\n')
    .filter((line) => (fault.startsWith('error') ? /\(INJECTED\)$/ : /killed by SIGKILL/).test(line));
  // The wake-ups of threads have no fixed place among the calls, and the runtime cannot handle a failed one.
  const isInjected = failed.length > 0 && !failed.some((line) => isOther(line) || line.includes(' resumed>'));
  return { isInjected, problem: ended ?? (isInjected ? await scenario.broken() : undefined) };
}
