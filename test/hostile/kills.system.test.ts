/** A part of test/tools/all-kills.ts. */
import { beforeAll, describe, expect, test } from 'vitest';
import { missing } from '../harness/needs';
import { freezeAt, type Hit, killAt, usualMs } from './kills';
import { openSessions, type Session } from './sessions';

const reason = missing('keyring');

describe('at any moment', () => {
  let sessions: readonly Session[] = [];
  beforeAll(async () => {
    if (reason === undefined) ({ sessions } = await openSessions());
  });

  test.for(['get', 'config set', 'login', 'logout', 'exec'])(
    '%s may be killed or suspended: no part of a token, nothing lost, nothing left behind',
    { timeout: 240_000 },
    async (name, { needs }) => {
      needs(reason);
      const session = sessions.find((each) => each.name === name)!;
      let ms = await usualMs(session);
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
        if (!hit.isHit) ms = hit.tookMs;
      }
      expect(hits.filter(({ problem }) => problem !== undefined)).toEqual([]);
      expect(hits.some(({ isHit }) => isHit)).toBe(true);
    },
  );
});
