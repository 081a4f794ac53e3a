/** `npx tsx test/tools/all-faults.ts [SESSION…]`: every system call of the sessions with every fault. Half an hour. */
import { writeSync } from 'node:fs';
import { cleanUp } from '../harness/clean-up';
import { faultsOf, type Met, meet } from '../hostile/faults';
import { openSessions } from '../hostile/sessions';

const wanted = process.argv.slice(2);
main().finally(cleanUp);

async function main(): Promise<void> {
  const { sessions, dir } = await openSessions();
  for (const session of sessions) {
    if (wanted.length > 0 && !wanted.includes(session.name)) continue;
    const faults = await faultsOf(session, dir);
    const met: Met[] = [];
    for (const fault of faults) {
      const one = await meet(session, fault, dir);
      if (one === undefined) continue;
      met.push(one);
      if (one.problem !== undefined || one.ms > 5000)
        print(
          `${session.name}: ${fault.call} ${fault.number} ${fault.error}, ${Math.round(one.ms)} ms: ${one.problem}\n  ${fault.about}\n`,
        );
    }
    const calls = new Set(met.map(({ fault: { call, number } }) => `${call} ${number}`)).size;
    const count = (code: number | null) => met.filter((one) => one.code === code).length;
    const codes = [...new Set(met.map(({ code }) => code))].sort().map((code) => `${code}: ${count(code)}`);
    const wrong = met.filter(({ problem }) => problem !== undefined).length;
    print(
      `${session.name}: ${calls} calls, ${met.length} faults (of ${faults.length} tried); exit codes ${codes.join(', ')}; ${wrong} wrong\n`,
    );
  }
}

function print(text: string): void {
  writeSync(1, text);
}
