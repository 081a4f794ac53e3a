/** The topics of `gwtoken help TOPIC`: Markdown files, loaded on demand and shown almost unchanged. */
import { usage } from '../errors';
import { quoted } from '../text';
import type { Paint } from '../world';

export const TOPICS: Readonly<Record<string, ReturnType<typeof topic>>> = {
  settings: topic('flags, variables, config keys and their defaults', () => import('./topics/settings.md')),
  'exit-codes': topic('exit codes, and which ones to retry', () => import('./topics/exit-codes.md')),
  shells: topic('use the token in your shell without leaking it', () => import('./topics/shells.md')),
  recipes: topic('use the token in curl, direnv, make and more', () => import('./topics/recipes.md')),
  ci: topic('CI systems, Docker, Kubernetes, password managers', () => import('./topics/ci.md')),
  keychain: topic('where secrets are stored, and without a keychain', () => import('./topics/keychain.md')),
  network: topic('proxies, certificates, timeouts, retries, errors', () => import('./topics/network.md')),
  security: topic('what gwtoken protects, and what it cannot', () => import('./topics/security.md')),
};

function topic(summary: string, load: () => Promise<{ readonly default: string }>) {
  return { summary, text: async () => (await load()).default };
}

/** Loads a topic, or only its sections about some words (`ci gitlab`), or those of any topic (`gitlab`). */
export async function topicText(names: readonly string[]): Promise<string> {
  const [name = '', ...words] = names;
  return Object.hasOwn(TOPICS, name) ? await partOfTopic(name, words) : await partsOfAnyTopic(names);
}

async function partOfTopic(name: string, words: readonly string[]): Promise<string> {
  const text = await TOPICS[name]!.text();
  const parts = words.length === 0 ? [text] : partsAbout(words, text);
  if (parts.length > 0) return parts.join('\n');
  const titles = [...text.matchAll(/^## ([^:\n]+)/gm)].map(([, title]) => title);
  throw usage(`help ${name} has no section ${quoted(words.join(' '))}, only: ${titles.join(', ')}`, [
    `for all of it, run: gwtoken help ${name}`,
  ]);
}

async function partsOfAnyTopic(words: readonly string[]): Promise<string> {
  const texts = await Promise.all(Object.values(TOPICS).map(({ text }) => text()));
  const parts = texts.flatMap((text) => partsAbout(words, text));
  if (parts.length > 0) return parts.join('\n');
  throw usage(`unknown command or topic ${quoted(words.join(' '))}`, [
    'for all commands and topics, run: gwtoken help',
  ]);
}

/** Returns the text if its title contains all words, otherwise its sections whose titles do. */
function partsAbout(words: readonly string[], text: string): readonly string[] {
  const wanted = words.flatMap(wordsIn);
  const isWanted = (part: string): boolean => {
    const title = wordsIn(part.split('\n', 1)[0]!);
    return wanted.length > 0 && wanted.every((word) => title.includes(word));
  };
  if (isWanted(text)) return [text];
  const [, ...sections] = text.split(/^(?=## )/m);
  return sections.filter(isWanted).map((section) => `${section.trimEnd()}\n`);
}

/** Returns the words of a text in lower case, in the singular. */
function wordsIn(text: string): string[] {
  return text
    .toLowerCase()
    .split(/\W+/)
    .filter(Boolean)
    .map((word) => word.replace(/ies$/, 'y').replace(/s$/, ''));
}

/** Blocks of code, indented or fenced. The group makes split() keep them, at odd indices. */
const CODE = /(^```[\s\S]*?^```\n|(?:^ {4}.*\n)+)/m;

/** Returns a topic as a terminal shows it: bold headings, coloured code, and tables as text. */
export function topicAsText(markdown: string, { bold, cyan }: Pick<Paint, 'bold' | 'cyan'>): string {
  const prose = (text: string): string =>
    text
      // Capitals, as in a man page, mark a heading even without bold.
      .replace(/^#+ (.*)/gm, (_, title: string) => bold(title.toUpperCase()))
      .replace(/\*\*([^*]+)\*\*/g, (_, words: string) => bold(words))
      // A table cell without its backticks is padded to the same width.
      .replace(/(?<=^\|.*)[^|\n]+/gm, (cell) => cell.replaceAll('`', '').padEnd(cell.length))
      .replace(/`([^`]+)`/g, (_, code: string) => cyan(code));
  return markdown
    .split(CODE)
    .map((part, index) => (index % 2 === 0 ? prose(part) : codeBlock(part)))
    .join('');
}

/** Indents a fenced block, except in languages where copied indentation would break the code. */
function codeBlock(block: string): string {
  const text = block.replace(/^```.*\n/gm, '');
  return block === text || /^```(python|make)/.test(block) ? text : text.replace(/^(?=.)/gm, '    ');
}
