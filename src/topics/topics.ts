/** The topics of `gwtoken help TOPIC`: each a Markdown file, loaded when it is asked for. */

import { GwtokenError } from '../errors';
import { quoted } from '../text';

export interface Topic {
  readonly summary: string;
  text(): Promise<string>;
}

export const TOPICS: Readonly<Record<string, Topic>> = {
  environment: topic(
    'every setting: its flag, variable, config key and default',
    () => import('./environment.md'),
  ),
  'exit-codes': topic(
    'what each exit code means, and which are worth a retry',
    () => import('./exit-codes.md'),
  ),
  shells: topic('the token in your shell, and what shows it to others', () => import('./shells.md')),
  ci: topic('the token in a CI job, system by system', () => import('./ci.md')),
  keychain: topic(
    'where the secrets are, and what to do where there is no keychain',
    () => import('./keychain.md'),
  ),
  network: topic('proxies, certificates, time limits, retries, each error', () => import('./network.md')),
  security: topic('what is protected from whom, and what is not', () => import('./security.md')),
};

function topic(summary: string, load: () => Promise<{ default: string }>): Topic {
  return { summary, text: async () => (await load()).default };
}

/** @param commands the names of the commands, for the error */
export async function topicText(name: string, commands: readonly string[]): Promise<string> {
  const found = Object.hasOwn(TOPICS, name) ? TOPICS[name] : undefined;
  if (found) return await found.text();
  throw new GwtokenError('usage', `there is no command or topic ${quoted(name)}`, {
    hints: [`the commands are: ${commands.join(', ')}`, `the topics are: ${Object.keys(TOPICS).join(', ')}`],
  });
}
