/** Processes as /proc shows them: their state, their terminal, and whether a named one still runs. */
import { expect, test } from 'vitest';
import { procStat } from '../../../src/system/processes/identity';
import { onCleanup } from '../../harness/clean-up';

test.runIf(process.platform === 'linux')('procStat reads past whatever name a process gives itself', () => {
  const { title } = process;
  onCleanup(() => {
    process.title = title;
  });
  process.title = 'a) Z 1 (b';
  expect(procStat('self')).toMatchObject({ state: 'R', group: expect.any(Number) });
  expect(procStat(2 ** 30)).toBeUndefined();
});
