/** Holds the lock whose path is its argument until stdin ends. Waits for another holder first, and tries again. */
import { writeSync } from 'node:fs';
import { tryLock } from '../../../src/system/files/lock';

async function main(path: string) {
  const lock = tryLock(path, { platform: process.platform, uid: process.geteuid?.() });
  if (lock === undefined) throw new Error('locks do not work here');
  if (lock.held) {
    writeSync(1, 'held\n');
    return process.stdin.resume().once('end', lock.release);
  }
  writeSync(1, 'waiting\n');
  writeSync(1, `${await lock.wait(20_000)}\n`);
  return main(path);
}

void main(process.argv[2] ?? '');
