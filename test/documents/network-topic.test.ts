/** `gwtoken help network` says what the program says. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { retryOfReply } from '../../src/token/reply';
import { ROOT } from '../harness/root';

const SRC = join(ROOT, 'src');
const topic = readFileSync(join(SRC, 'cli', 'topics', 'network.md'), 'utf8');

test('each sentence that it explains is one that the program has', () => {
  const told = topic.slice(topic.indexOf('## What each error means'));
  const explained = [...told.matchAll(/\*\*([^*]+)\*\*/g)].map(([, sentence = '']) =>
    sentence.replace(/\s+/g, ' '),
  );
  expect(explained.length).toBeGreaterThan(15);
  const wire = readdirSync(join(SRC, 'system', 'wire')).map((name) => join('system', 'wire', name));
  const said = [...wire, join('token', 'reply.ts')]
    .map((file) => readFileSync(join(SRC, file), 'utf8').replace(/\$\{.*?\}/g, '…'))
    .join('\n');
  const inProse: Readonly<Record<string, string>> = {
    'its certificate is only valid for': 'only valid for …',
    'closed (or reset) the connection': '… the connection …',
  };
  for (const sentence of explained)
    expect(said).toContain(inProse[sentence] ?? sentence.replace(/^answered \d+$/, 'answered …'));
});

test('the retried statuses are those of the program, and the variables are there', () => {
  const [, list = '', last = ''] = /HTTP ([\d, ]+) and (\d+)\./.exec(topic) ?? [];
  const all = Array.from({ length: 400 }, (_, index) => index + 200);
  const retried = all.filter((status) => retryOfReply(status, new Headers()) !== undefined);
  expect([...list.split(', '), last].map(Number)).toEqual(retried);
  for (const name of ['HTTPS_PROXY', 'NO_PROXY', 'SSL_CERT_FILE', 'NODE_TLS_REJECT_UNAUTHORIZED'])
    expect(topic).toContain(name);
});
