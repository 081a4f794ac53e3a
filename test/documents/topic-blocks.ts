import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../harness/root';

const CI_TOPIC = readFileSync(join(ROOT, 'src', 'cli', 'topics', 'ci.md'), 'utf8');

/** The fenced blocks of `gwtoken help ci`, with their language and the heading that they stand under. */
export const BLOCKS = CI_TOPIC.split(/^## /m).flatMap((section) =>
  [...section.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = '', code = '']) => {
    return { heading: section.slice(0, section.indexOf('\n')), language, code };
  }),
);

export const blocksUnder = (heading: string): typeof BLOCKS =>
  BLOCKS.filter((block) => block.heading === heading);
