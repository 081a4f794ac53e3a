/**
 * `npx tsx test/tools/all-kills.ts [COUNT [SESSION…]]`: ends each session at COUNT random moments (200 if left out),
 * and suspends it at as many. Half an hour.
 */
import { writeSync } from 'node:fs';
import { cleanUp } from '../harness/clean-up';
import { freezeAt, type Hit, killAt, usualMs } from '../hostile/kills';
import { openSessions } from '../hostile/sessions';

const [count = '200', ...wanted] = process.argv.slice(2);
main().finally(cleanUp);

async function main(): Promise<void> {
  const { sessions } = await openSessions();
  for (const session of sessions) {
    if (wanted.length > 0 && !wanted.includes(session.name)) continue;
    const ms = await usualMs(session);
    for (const [what, at] of Object.entries({ SIGKILL: killAt, SIGSTOP: freezeAt })) {
      const hits: Hit[] = [];
      for (let round = 0; round < Number(count); round++) {
        const hit = await at(session, Math.random() * ms);
        hits.push(hit);
        if (hit.problem !== undefined)
          writeSync(1, `${session.name}: ${what} after ${Math.round(hit.atMs)} ms: ${hit.problem}\n`);
      }
      const hit = hits.filter(({ isHit }) => isHit).length;
      const wrong = hits.filter(({ problem }) => problem !== undefined).length;
      writeSync(
        1,
        `${session.name} (${Math.round(ms)} ms): ${what} ${hits.length} times, ${hit} of them at work; ${wrong} wrong\n`,
      );
    }
  }
}
