/** gwtoken killed at any moment: no torn file, and the next call works. */
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { missing } from '../harness/needs';
import { isRunning } from '../harness/programs/processes';
import { misbehaviour, openSessions, type Session } from './sessions';

const reason = missing('keyring');
let sessions: readonly Session[] = [];
beforeAll(async () => {
  if (reason === undefined) ({ sessions } = await openSessions());
});

test.for(['get', 'config set', 'login', 'logout'])(
  '%s may be killed or suspended at any moment: no part of a token, nothing lost, nothing left behind',
  { timeout: 240_000 },
  async (name, { needs }) => {
    needs(reason);
    const session = sessions.find((each) => each.name === name)!;
    await session.prepare();
    let { ms } = await session.start().result;
    const hits: Hit[] = [];
    for (const [at, part] of [
      [killAt, 0.3],
      [killAt, 0.6],
      [killAt, 0.85],
      [freezeAt, 0.7],
    ] as const) {
      const hit = await at(session, ms * part);
      hits.push(hit);
      // The machine may have been busier while it was timed.
      if (!hit.isHit) ms = hit.ms;
    }
    expect(hits.filter(({ problem }) => problem !== undefined)).toEqual([]);
    expect(hits.some(({ isHit }) => isHit)).toBe(true);
  },
);

interface Hit {
  /** False for a run that had ended before. */
  readonly isHit: boolean;
  readonly ms: number;
  /** What is wrong; undefined when nothing is. */
  readonly problem: string | undefined;
}

/** Kills after so many milliseconds: the output is whole or nothing, and everything works afterwards. */
async function killAt(session: Session, atMs: number): Promise<Hit> {
  await session.prepare();
  const running = session.start();
  await sleep(atMs);
  running.kill('SIGKILL');
  const result = await running.result;
  const printed = result.stdout === '' ? undefined : await session.undone(result);
  // A run that printed all was only too slow to end: what it has not done yet is not the print's fault.
  const partial = printed?.includes('printed') ? printed : undefined;
  const problem = misbehaviour({ ...result, stderr: '' }, 'SIGKILL') ?? partial ?? (await session.broken());
  return { isHit: result.signal === 'SIGKILL', ms: result.ms, problem };
}

/** SIGSTOP after so many milliseconds, others at work meanwhile, then SIGCONT: all do what they should. */
async function freezeAt(session: Session, atMs: number): Promise<Hit> {
  await session.prepare();
  const running = session.start();
  await sleep(atMs);
  const isHit = isRunning(running.pid);
  running.kill('SIGSTOP');
  const meanwhile = await session.beside();
  running.kill('SIGCONT');
  const result = await running.result;
  const problem = meanwhile ?? misbehaviour(result) ?? (await session.broken());
  return { isHit, ms: result.ms, problem };
}
