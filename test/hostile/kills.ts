/** Ends or suspends a session at a moment that nobody chose. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning } from '../harness/programs/processes';
import { misbehaviour, type Session } from './sessions';

/** How long a session takes when nothing comes in between, in milliseconds: the middle of three. */
export async function usualMs(session: Session): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 3; round++) {
    await session.prepare();
    const result = await session.start().result;
    const problem = misbehaviour(result) ?? (await session.undone(result));
    if (problem !== undefined) throw new Error(`${session.name} left alone: ${problem} ${result.stderr}`);
    times.push(result.ms);
  }
  return times.sort((a, b) => a - b)[1]!;
}

export interface Hit {
  /** When the signal was sent, in milliseconds after the start. */
  readonly atMs: number;
  /** False for a run that had ended before. */
  readonly isHit: boolean;
  /** From the start to the end, in milliseconds. */
  readonly tookMs: number;
  /** What is wrong; undefined when nothing is. */
  readonly problem: string | undefined;
}

/** SIGKILL after so many milliseconds: what it printed is whole or nothing, and everything works afterwards. */
export async function killAt(session: Session, atMs: number): Promise<Hit> {
  await session.prepare();
  const running = session.start();
  await sleep(atMs);
  running.kill('SIGKILL');
  const result = await running.result;
  const isHit = result.signal === 'SIGKILL';
  const printed = result.stdout === '' ? undefined : await session.undone(result);
  // A run that printed all was only not quick enough to end: what it has not done yet is no fault of the print.
  const partial = printed?.includes('printed') ? printed : undefined;
  const problem = misbehaviour({ ...result, stderr: '' }, ['SIGKILL']) ?? partial ?? (await session.broken());
  return { atMs, isHit, tookMs: result.ms, problem };
}

/** SIGSTOP after so many milliseconds, others at work meanwhile, then SIGCONT: all of them do what they should. */
export async function freezeAt(session: Session, atMs: number): Promise<Hit> {
  await session.prepare();
  const running = session.start();
  await sleep(atMs);
  const isHit = isRunning(running.pid);
  running.kill('SIGSTOP');
  const meanwhile = await session.beside();
  running.kill('SIGCONT');
  const result = await running.result;
  const problem = meanwhile ?? misbehaviour(result) ?? (await session.broken());
  return { atMs, isHit, tookMs: result.ms, problem };
}
