/** The topics of `gwtoken help TOPIC`: each a Markdown file, loaded when it is asked for. */
import { quoted } from '../core/setting-values';
import { GwtokenError } from '../errors';

export interface Topic {
  readonly summary: string;
  text(): Promise<string>;
}

export const TOPICS: Readonly<Record<string, Topic>> = {
  shells: {
    summary: 'the token in a shell, each with its one-liner, and what shows it to others',
    text: async () => (await import('../topics/shells.md')).default,
  },
};

/** @param commands the names of the commands, for the error */
export async function topicText(name: string, commands: readonly string[]): Promise<string> {
  const topic = Object.hasOwn(TOPICS, name) ? TOPICS[name] : undefined;
  if (topic) return await topic.text();
  throw new GwtokenError('usage', `there is no command or topic ${quoted(name)}`, {
    hints: [`the commands are: ${commands.join(', ')}`, `the topics are: ${Object.keys(TOPICS).join(', ')}`],
  });
}
