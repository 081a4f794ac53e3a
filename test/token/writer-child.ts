/** Writes two entries in turns until it is killed: the program that test/token/killed.test.ts kills. */
import { writeSync } from 'node:fs';
import { writeEntry } from '../../src/system/files/token-cache';

const [folder = '', one = '', other = ''] = process.argv.slice(2);
const machine = { platform: process.platform, uid: process.geteuid?.() };
const client = { profile: 'default', environment: 'production', region: 'eu' } as const;

for (let turn = 0; ; turn++) {
  const problem = writeEntry(folder, client, machine, turn % 2 === 0 ? one : other);
  if (problem !== undefined) throw new Error(problem);
  if (turn === 0) writeSync(1, 'writing\n');
}
