/** The topics of `gwtoken help TOPIC`: Markdown files, loaded on demand and formatted for a terminal. */
import { alignRows } from '../commands/report';
import { usage } from '../errors';
import { quoted } from '../text';
import type { Paint } from '../world';

export const TOPICS: Readonly<Record<string, ReturnType<typeof topic>>> = {
  environment: topic(
    'all settings: flags, variables, config keys, defaults',
    () => import('./topics/environment.md'),
  ),
  'exit-codes': topic('exit codes, and which ones to retry', () => import('./topics/exit-codes.md')),
  shells: topic('use the token in your shell without leaking it', () => import('./topics/shells.md')),
  recipes: topic(
    'use the token in curl, HTTP clients, direnv, make and more',
    () => import('./topics/recipes.md'),
  ),
  ci: topic('CI systems, Docker, Kubernetes, password managers', () => import('./topics/ci.md')),
  keychain: topic(
    'where secrets are stored; working without a keychain',
    () => import('./topics/keychain.md'),
  ),
  network: topic('proxies, certificates, timeouts, retries, errors', () => import('./topics/network.md')),
  security: topic('what gwtoken protects, and what it cannot', () => import('./topics/security.md')),
};

function topic(summary: string, load: () => Promise<{ readonly default: string }>) {
  return { summary, text: async () => (await load()).default };
}

/** Loads the words by which completion names a topic's sections: the first of each title. */
export async function sectionWords(name: string): Promise<string[]> {
  const text = Object.hasOwn(TOPICS, name) ? await TOPICS[name]!.text() : '';
  return [...text.matchAll(/^## ([\w-]+)/gm)].map(([, word = '']) => word.toLowerCase());
}

/** Loads a topic, or one of its sections: `ci gitlab`. */
export async function topicText(names: readonly string[], commands: readonly string[]): Promise<string> {
  const [name = '', ...words] = names;
  const found = Object.hasOwn(TOPICS, name) ? TOPICS[name] : undefined;
  if (!found) {
    throw usage(
      `unknown command or topic ${quoted(names.join(' '))}`,
      `commands: ${commands.join(', ')}`,
      `topics: ${Object.keys(TOPICS).join(', ')}`,
    );
  }
  const text = await found.text();
  if (words.length === 0) return text;
  const sections = text.split(/^(?=## )/m).slice(1);
  const title = words.join(' ').toLowerCase();
  const section = sections.find((each) => each.toLowerCase().startsWith(`## ${title}`));
  if (section) return `${section.trimEnd()}\n`;
  const titles = sections.map((each) => each.slice('## '.length, each.indexOf('\n')));
  throw usage(`no section ${quoted(title)} in topic ${name}`, `sections: ${titles.join(', ')}`);
}

/** Blocks of code, indented or fenced, and tables. */
const BLOCKS = /(^```[\s\S]*?^```\n|(?:^ {4}.*\n)+|(?:^\|.*\n)+)/m;

/** Returns a topic as a terminal shows it. */
export function topicAsText(markdown: string, paint: Pick<Paint, 'bold' | 'cyan'>): string {
  return markdown
    .split(BLOCKS)
    .map((part, index) => {
      if (index % 2 === 0) return prose(part, paint);
      if (part.startsWith('|')) return table(part, paint);
      return part.startsWith('```') ? code(part) : part;
    })
    .join('');
}

/** Returns a block of code, indented, except code that would not run if it is copied with the indentation. */
function code(block: string): string {
  const text = block.replace(/^```.*\n/gm, '');
  return /^```(python|make)/.test(block) ? text : text.replace(/^(?=.)/gm, '    ');
}

function prose(text: string, { bold, cyan }: Pick<Paint, 'bold' | 'cyan'>): string {
  return (
    text
      // In capitals, as a man page has them: without bold they would look like any other line.
      .replace(/^(#+) (.*)/gm, (_, { length: level }, title: string) =>
        bold(level < 3 ? title.toUpperCase() : title),
      )
      .replace(/`([^`]+)`/g, (_, code: string) => eachLine(code, cyan))
      .replace(/\*\*([^*]+)\*\*/g, (_, words: string) => eachLine(words, bold))
  );
}

/** Paints a marked text line by line, since it may span several; their indentation stays plain. */
function eachLine(text: string, paint: (line: string) => string): string {
  return text.replace(/\S(?:.*\S)?/g, (line) => paint(line));
}

function table(block: string, { bold }: Pick<Paint, 'bold'>): string {
  const [head = [], , ...rows] = block
    .replaceAll('`', '')
    .trimEnd()
    .split('\n')
    .map((row) => row.split('|').slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()));
  const rule = head.map((cell, at) =>
    '-'.repeat(Math.max(cell.length, ...rows.map((row) => row[at]!.length))),
  );
  const [first = '', ...lines] = alignRows([head, rule, ...rows]);
  return [bold(first), ...lines, ''].join('\n');
}
