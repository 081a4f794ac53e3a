/** The topics of `gwtoken help TOPIC`: each a Markdown file, loaded when it is asked for. */

import { GwtokenError } from '../errors';
import { quoted } from '../text';

export interface Topic {
  readonly summary: string;
  text(): Promise<string>;
}

export const TOPICS: Readonly<Record<string, Topic>> = {
  environment: {
    summary: 'every setting: its flag, variable, config key and default',
    text: async () => (await import('./environment.md')).default,
  },
  'exit-codes': {
    summary: 'what each exit code means, and which are worth a retry',
    text: async () => (await import('./exit-codes.md')).default,
  },
  shells: {
    summary: 'the token in your shell, and what shows it to others',
    text: async () => (await import('./shells.md')).default,
  },
  ci: {
    summary: 'the token in a CI job, system by system',
    text: async () => (await import('./ci.md')).default,
  },
  keychain: {
    summary: 'where the secrets are, and what to do where there is no keychain',
    text: async () => (await import('./keychain.md')).default,
  },
  network: {
    summary: 'proxies, certificates, time limits, retries, each error',
    text: async () => (await import('./network.md')).default,
  },
  security: {
    summary: 'what is protected from whom, and what is not',
    text: async () => (await import('./security.md')).default,
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
