/** `gwtoken help network` says what the program says, within 80 columns. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../harness/root';

const src = join(ROOT, 'src');
const topic = readFileSync(join(src, 'topics', 'network.md'), 'utf8');
const code = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .map((name) => join(src, name))
  .filter((path) => path.endsWith('.ts'))
  .map((path) => readFileSync(path, 'utf8'))
  .join('\n');

test('fits a terminal of 80 columns, and has nothing that only a web page shows', () => {
  for (const line of topic.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
  expect(topic).not.toMatch(/\t|<[a-z]+>|\]\(/);
  expect(topic.endsWith('\n')).toBe(true);
});

test('each sentence that it explains is one that the program has', () => {
  const told = topic.slice(topic.indexOf('## What each error means'), topic.indexOf('Exit code 3'));
  const said = [...told.matchAll(/\*\*([^*]+)\*\*/g)].map(([, sentence]) => sentence!.replace(/\s+/g, ' '));
  expect(said.length).toBeGreaterThan(15);
  const inProse = [
    ['the proxy wants a user name and a password', 'wants a user name and a password'],
    ['is not valid yet', 'its certificate is not valid yet'],
    ['closed (or reset) the connection', 'the connection without a reply'],
    ['answered 500', 'answered $'],
    ['answered 429', 'answered $'],
    ['answered 404', 'answered $'],
    ['an access_token', 'gave an access_token'],
    ['a token_type', 'gave a token_type'],
    ['an expires_in', 'gave an expires_in'],
  ];
  for (const sentence of said) {
    const own = inProse.find(([written]) => written === sentence)?.[1] ?? sentence;
    expect(code, sentence).toContain(own);
  }
});

test('the retried statuses and the variables are those of the program', () => {
  const [, list = ''] = /const RETRIED = \[([^\]]+)\]/.exec(code) ?? [];
  expect(topic.replace(/\s+/g, ' ')).toContain(list.replace(/, (\d+)$/, ' and $1'));
  for (const name of ['HTTPS_PROXY', 'NO_PROXY', 'SSL_CERT_FILE', 'NODE_TLS_REJECT_UNAUTHORIZED']) {
    expect(topic).toContain(name);
    expect(code).toContain(name);
  }
});
