/** Takes a lock until its stdin ends, or waits for it, and with AGAIN once more: words FOLDER LEAVE AGAIN. */
import { writeSync } from 'node:fs';
import { tryLock } from '../../../src/system/files/lock';

async function main([folder = '', leave = '', again = '']: readonly string[]) {
  const machine = { platform: process.platform, uid: process.geteuid?.(), proc: process };
  const lock = await tryLock(folder, 'token', machine);
  if (lock === undefined) writeSync(1, 'none\n');
  else if (lock.held) {
    lock.startClock();
    writeSync(1, 'held\n');
    process.stdin.resume().once('end', () => lock.release(leave));
  } else {
    writeSync(1, 'waiting\n');
    writeSync(1, `got ${JSON.stringify((await lock.wait(20_000)).text)}\n`);
    if (again !== '') await main([folder, leave]);
  }
}

main(process.argv.slice(2));
