/** The documents and the help of the flags name the figures of the code. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { REGIONS } from '../../src/client';
import { SECRET_LIMIT } from '../../src/credentials/credentials';
import { ITEM_LIMIT } from '../../src/credentials/keychain';
import { EXEC_FAILED, EXIT_CODES } from '../../src/errors';
import { ROWS, SETTINGS } from '../../src/settings/table';
import { MOST_RETRIES } from '../../src/settings/values';
import { ANSWER_WITHIN_MS } from '../../src/surroundings';
import { NOTICE_AFTER_MS } from '../../src/system/keychain/ask';
import { duration } from '../../src/text';
import { FIRST_WAIT_MS } from '../../src/token/fetch';
import { LEAST_DURING_OUTAGE_MS } from '../../src/token/get-token';
import { OVERALL_TIMEOUTS } from '../../src/token/query';
import { ROOT } from '../harness/root';

const NUMBERS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

const [person, nobody] = [ANSWER_WITHIN_MS.person, ANSWER_WITHIN_MS.nobody].map(duration);
const timeout = duration(SETTINGS.timeoutMs.fallback);
const together = `${NUMBERS[OVERALL_TIMEOUTS]} times`;
const retries = SETTINGS.retries.fallback;

/** Phrases with the figures of each document. */
const FIGURES: Readonly<Record<string, readonly string[]>> = {
  'README.md': [`room for ${NUMBERS[REGIONS.length * 2]} clients`],
  'ci.md': [`may take ${person} if stderr is a terminal, otherwise ${nobody}`, `${SECRET_LIMIT / 1024} KiB`],
  'keychain.md': [
    `says so after ${duration(NOTICE_AFTER_MS)}`,
    `waits ${person} if stderr is a terminal and there is a desktop, otherwise ${nobody},`,
    `at most ${ITEM_LIMIT.toLocaleString('en')} bytes`,
  ],
  'network.md': [
    `takes at most ${timeout}`,
    `together ${together} that`,
    `valid for ${duration(LEAST_DURING_OUTAGE_MS)} more`,
    `retries ${retries === 2 ? 'twice' : `${retries} times`}`,
    `0 to ${MOST_RETRIES}`,
    `up to ${duration(FIRST_WAIT_MS)}, then ${duration(2 * FIRST_WAIT_MS)}, ${duration(4 * FIRST_WAIT_MS)} and`,
  ],
  'recipes.md': [`${together} \`--timeout\``],
  'settings.md': [`${person} on a desktop terminal, else ${nobody}`, `0 to ${MOST_RETRIES}`],
  'shells.md': [`with ${EXEC_FAILED} to ${EXIT_CODES['not-found']}`],
};

test.each(Object.entries(FIGURES))('%s names the figures of the code', (file, phrases) => {
  const text = readFileSync(join(ROOT, file === 'README.md' ? '' : 'src/cli/topics', file), 'utf8');
  const line = text.replace(/\s+/g, ' ');
  expect(phrases.filter((phrase) => !line.includes(phrase))).toEqual([]);
});

test('the help of the flags names the figures of the code', () => {
  const help = ROWS.flatMap((row) => Object.values(row.flags ?? {})).join('\n');
  for (const phrase of [`together: ${together} that`, `default: ${retries}`]) expect(help).toContain(phrase);
});
