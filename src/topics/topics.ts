/** The topics of `gwtoken help TOPIC`: each a Markdown file, loaded when it is asked for. */

import { GwtokenError } from '../errors';
import { quoted } from '../text';

export interface Topic {
  readonly summary: string;
  text(): Promise<string>;
}

export const TOPICS: Readonly<Record<string, Topic>> = {
  environment: topic(
    'all settings: flags, variables, config keys, defaults',
    () => import('./environment.md'),
  ),
  'exit-codes': topic('exit codes, and which ones to retry', () => import('./exit-codes.md')),
  shells: topic('use the token in your shell without leaking it', () => import('./shells.md')),
  recipes: topic('use the token in curl, HTTP clients, direnv, make and more', () => import('./recipes.md')),
  ci: topic('CI systems, Docker, Kubernetes, password managers', () => import('./ci.md')),
  keychain: topic('where secrets are stored; working without a keychain', () => import('./keychain.md')),
  network: topic('proxies, certificates, timeouts, retries, errors', () => import('./network.md')),
  security: topic('what gwtoken protects, and what it cannot', () => import('./security.md')),
};

function topic(summary: string, load: () => Promise<{ default: string }>): Topic {
  return { summary, text: async () => (await load()).default };
}

/** @param commands the names of the commands, for the error */
export async function topicText(name: string, commands: readonly string[]): Promise<string> {
  const found = Object.hasOwn(TOPICS, name) ? TOPICS[name] : undefined;
  if (found) return await found.text();
  throw new GwtokenError('usage', `unknown command or topic ${quoted(name)}`, {
    hints: [`commands: ${commands.join(', ')}`, `topics: ${Object.keys(TOPICS).join(', ')}`],
  });
}
