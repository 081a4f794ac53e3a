/** A folder that several processes make at once: the first runs in a new home, 200 of them in a script. */
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { beforeAll, expect, test } from 'vitest';
import { makeFolder } from '../../../src/system/files/folders';
import { openFolder } from '../../harness/homes/folder';
import { bundle } from '../../harness/programs/bundle';

const HERE = { platform: process.platform, uid: process.getuid?.() };
const ROUNDS = 400;
const WORKERS = 2;
const folder = openFolder();
let entry: string;
beforeAll(async () => {
  const source = join(folder, 'worker.ts');
  const tested = fileURLToPath(new URL('../../../src/system/files/folders', import.meta.url));
  writeFileSync(
    source,
    `import { parentPort, workerData } from 'node:worker_threads';
     import { makeFolder } from ${JSON.stringify(tested)};
     const arrived = new Int32Array(workerData.arrived);
     const faults = [];
     for (let round = 0; round < ${ROUNDS}; round++) {
       Atomics.add(arrived, round, 1);
       while (Atomics.load(arrived, round) < ${WORKERS});
       try {
         makeFolder(workerData.folder + '/' + round + '/a/b/c/d', { platform: process.platform });
       } catch (error) {
         faults.push(error.message);
       }
     }
     parentPort.postMessage(faults);`,
  );
  entry = await bundle(source);
});

test('is made by all of them, whoever is quicker at each level', async () => {
  const arrived = new SharedArrayBuffer(4 * ROUNDS);
  const workers = Array.from(
    { length: WORKERS },
    () => new Worker(entry, { workerData: { arrived, folder: join(folder, 'made') } }),
  );
  const faults = await Promise.all(
    workers.map(
      (worker) =>
        new Promise<string[]>((resolve, reject) => worker.once('message', resolve).once('error', reject)),
    ),
  );
  expect(faults.flat()).toEqual([]);
  expect(statSync(join(folder, 'made', `${ROUNDS - 1}`, 'a', 'b', 'c', 'd')).mode & 0o777).toBe(0o700);
});

test('is refused where a file lies in its place, or above it', () => {
  mkdirSync(join(folder, 'taken'));
  writeFileSync(join(folder, 'taken', 'file'), '');
  expect(() => makeFolder(join(folder, 'taken', 'file'), HERE)).toThrow('EEXIST');
  expect(() => makeFolder(join(folder, 'taken', 'file', 'below'), HERE)).toThrow('ENOTDIR');
});

test('is refused with the code of the system where the user may make none', ({ needs }) => {
  needs('root');
  const above = openFolder();
  chmodSync(above, 0o755);
  process.seteuid?.(12_345);
  try {
    expect(() => makeFolder(join(above, 'new', 'below'), HERE)).toThrow('EACCES');
  } finally {
    process.seteuid?.(0);
  }
});
