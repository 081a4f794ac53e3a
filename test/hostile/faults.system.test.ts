/** A part of test/tools/all-faults.ts: of each kind of system call one. */
import { spawnSync } from 'node:child_process';
import { beforeAll, describe, expect, test } from 'vitest';
import { missing, type Reason } from '../harness/needs';
import { type Fault, faultsOf, meet } from './faults';
import { openSessions, type Session } from './sessions';

function lacking(): Reason {
  const isAbsent = missing('strace', 'keyring');
  if (isAbsent !== undefined) return isAbsent;
  const { status } = spawnSync('strace', ['-o', '/dev/null', 'true']);
  return status === 0 ? undefined : 'needs ptrace(2), which is forbidden here';
}

const reason = lacking();

describe('one system call that fails', () => {
  let sessions: readonly Session[] = [];
  let dir = '';
  beforeAll(async () => {
    if (reason === undefined) ({ sessions, dir } = await openSessions());
  });

  test.for(['get', 'config set', 'login', 'logout'])(
    'costs %s a code and a sentence at most, and nothing is lost',
    { timeout: 240_000 },
    async (name, { needs }) => {
      needs(reason);
      const session = sessions.find((each) => each.name === name)!;
      const faults = someOf(await faultsOf(session, dir));
      expect(faults.length).toBeGreaterThan(6);
      const wrong: string[] = [];
      let count = 0;
      for (const fault of faults) {
        const met = await meet(session, fault, dir);
        if (met) count++;
        const { problem } = met ?? {};
        if (problem !== undefined)
          wrong.push(`${fault.call} ${fault.number} ${fault.error}: ${problem}; ${fault.about}`);
      }
      expect(wrong).toEqual([]);
      expect(count).toBeGreaterThan(faults.length / 2);
    },
  );
});

/** The middle one of each kind: the first of a kind are mostly looks at what is there. */
function someOf(faults: readonly Fault[]): Fault[] {
  return [...new Set(faults.map(({ call }) => call))].map((kind) => {
    const calls = faults.filter(({ call }) => call === kind);
    return calls[Math.floor(calls.length / 2)]!;
  });
}
