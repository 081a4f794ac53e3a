/** Each figure in the documents and in the help of the flags is drawn from the code, or listed as not ours. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isProfile, REGIONS } from '../../src/client';
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
import { freshUntilMs } from '../../src/token/token';
import { ROOT } from '../harness/root';

const NUMBERS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const UNITS = 'seconds|minutes|hours|bytes|KiB|MiB|MB|times|characters';

const [person, nobody] = [ANSWER_WITHIN_MS.person, ANSWER_WITHIN_MS.nobody].map(duration);
const timeout = duration(SETTINGS.timeoutMs.fallback);
const together = `${NUMBERS[OVERALL_TIMEOUTS]} times`;
const retries = SETTINGS.retries.fallback;

/** Returns the min-ttl in milliseconds of a token that lives this long, by default or for a config file's value. */
function minTtlMs(lifetimeS: number, value?: number): number {
  const source = { kind: 'config', name: '' } as const;
  const minTtl = value === undefined ? undefined : { value, text: '', source };
  return (
    lifetimeS * 1000 -
    freshUntilMs({ accessToken: '', tokenType: '', scope: '', requestedAtMs: 0, lifetimeS }, minTtl)!
  );
}
const minTtl = `${duration(minTtlMs(1e6))} or ${minTtlMs(100) / 1000}% of the lifetime`;
const longestName = Array.from({ length: 200 }, (_, index) => index).findLast((n) =>
  isProfile('a'.repeat(n)),
);

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
  'settings.md': [
    minTtl,
    `| timeout | ${timeout} |`,
    `${person} on a desktop terminal, else ${nobody}`,
    `1 to ${longestName} characters`,
    `at most ${minTtlMs(100, 1e9) === 50_000 ? 'half' : ''} of the token's lifetime`,
    `at most ${together} as long`,
    `0 to ${MOST_RETRIES}`,
  ],
  'shells.md': [`with ${EXEC_FAILED} to ${EXIT_CODES['not-found']}`],
  flags: [`together: ${together} that`, `default: ${retries}`],
};

/** Figures that the code does not decide. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  // The sizes of archives and the speed of the forms.
  'README.md': ['(54 MB)', 'starts twice as fast'],
  // The limit of MCP clients.
  'recipes.md': ['after 10 s'],
};

/** A number with a unit, as a figure or as a word. */
const FIGURE = new RegExp(
  `(\\d[\\d.,]*|\\b(${NUMBERS.join('|')}))(%| to \\d+| (s|ms|min|h|more|${UNITS})\\b)|\\b(twice|half)\\b|default: \\d+`,
  'g',
);

const topics = join('src', 'cli', 'topics');
const documents = [
  ...['README.md', '.github/SECURITY.md'].map((file) => [file, join(ROOT, file)] as const),
  ...readdirSync(join(ROOT, topics))
    .filter((file) => file.endsWith('.md'))
    .map((file) => [file, join(ROOT, topics, file)] as const),
].map(([file, path]) => [file, readFileSync(path, 'utf8')] as const);
const flags = ROWS.flatMap((row) => Object.values(row.flags ?? {})).join('\n');

test.each([...documents, ['flags', flags] as const])('%s', (file, text) => {
  let rest = text.replace(/\s+/g, ' ');
  const phrases = [...(FIGURES[file] ?? []), ...(OTHERS[file] ?? [])];
  expect(phrases.filter((phrase) => !rest.includes(phrase))).toEqual([]);
  for (const phrase of phrases) rest = rest.replaceAll(phrase, '');
  expect(rest.match(FIGURE) ?? []).toEqual([]);
});
