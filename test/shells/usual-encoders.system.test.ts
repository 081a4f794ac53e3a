/**
 * The same oracle with the usual encoders in the place of ours. It catches each of them under `eval $(…)`, and lets the
 * careful ones pass where the output is quoted: so it neither passes nor fails everything.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { formatNamed } from '../../src/formats/table';
import { openFolder } from '../harness/homes/folder';
import { type Batch, evaluate, writeBatch } from './batch';
import { missing, SHELLS, type Shell } from './shells';
import { USUAL_ENCODERS } from './usual-encoders';
import { EDGES, randomValues } from './values';

const scratch = openFolder();

const VALUES = [...EDGES.filter((value) => value.length < 12), ...randomValues(15, 1)];
const POSIX = SHELLS.filter(({ format }) => format === 'sh');
const reason = POSIX.map(missing).find((each) => each !== undefined);

/** The states that tell the encoders apart: as a shell starts, and with zsh taking its words for patterns too. */
const STATES = ['plain', 'shwordsplit globsubst extendedglob'];

/** How many values arrive in each of these states, and whether a value or a file name was run. */
async function judge(
  shell: Shell,
  context: string,
  batch: Batch,
  apart: boolean,
): Promise<{ arrived: number[]; ran: boolean }> {
  const arrived: number[] = [];
  let ran = false;
  for (const state of STATES.map((name) => shell.states[name])) {
    if (state === undefined) continue;
    const { wrong, made } = await evaluate(shell, state, shell.contexts[context]!, batch, 'C', apart);
    arrived.push(batch.values.length - wrong.length);
    ran ||= made.includes('PWNED');
    for (const file of made) rmSync(join(batch.hostile, file), { recursive: true, force: true });
  }
  return { arrived, ran };
}

describe('eval $(…) is caught mangling values by', () => {
  for (const [name, encode] of Object.entries(USUAL_ENCODERS)) {
    test(name, { timeout: 120_000 }, async ({ skip, annotate }) => {
      skip(reason !== undefined, reason);
      const batch = writeBatch(scratch, name.replace(/\W/g, '-'), VALUES, encode, 1);
      let wrong = 0;
      for (const shell of POSIX) {
        const { arrived, ran } = await judge(shell, 'eval $(…)', batch, true);
        wrong += arrived.reduce((sum, count) => sum + VALUES.length - count, 0);
        await annotate(
          `${name}: ${shell.name} ${arrived.join(' ')} of ${VALUES.length}${ran ? ', and something ran' : ''}`,
        );
      }
      expect(wrong).toBeGreaterThan(0);
    });
  }
});

describe('no value is mangled by', () => {
  for (const [name, encode, context] of [
    ['single quotes', USUAL_ENCODERS['single quotes']!, 'eval "$(…)"'],
    ['ours', formatNamed('sh', 'the test').set, 'eval $(…)'],
  ] as const) {
    test(`${name}, ${context}`, { timeout: 120_000 }, async ({ skip }) => {
      skip(reason !== undefined, reason);
      const batch = writeBatch(scratch, `${name} ${context.length}`, VALUES, encode, 1);
      for (const shell of POSIX) {
        const { arrived, ran } = await judge(shell, context, batch, false);
        expect([shell.name, ...new Set(arrived), ran]).toEqual([shell.name, VALUES.length, false]);
      }
    });
  }
});
