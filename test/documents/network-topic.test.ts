/** `gwtoken help network` says what the program says, within 80 columns. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { wireProblem } from '../../src/system/wire/problems';
import { retryOfReply } from '../../src/token/retry';
import { ROOT } from '../harness/root';
import { BAD_BODIES } from '../system/wire/bad-bodies';
import { BAD_PROXIES } from '../system/wire/bad-proxies';
import { BAD_STATUSES } from '../system/wire/bad-statuses';
import { BAD_TLS } from '../system/wire/bad-tls';
import { BROKEN_CONNECTIONS } from '../system/wire/broken-connections';

const topic = readFileSync(join(ROOT, 'src', 'topics', 'network.md'), 'utf8');

test('fits a terminal of 80 columns, and has nothing that only a web page shows', () => {
  for (const line of topic.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
  expect(topic).not.toMatch(/\t|<[a-z]+>|\]\(/);
  expect(topic.endsWith('\n')).toBe(true);
});

test('each sentence that it explains is one that the program has', () => {
  const told = topic.slice(topic.indexOf('## What each error means'), topic.indexOf('Exit code 3'));
  const explained = [...told.matchAll(/\*\*([^*]+)\*\*/g)].map(([, sentence = '']) =>
    sentence.replace(/\s+/g, ' '),
  );
  expect(explained.length).toBeGreaterThan(15);
  // What the built program says is what the wire's tests expect of it; names have no table there.
  const met = [BAD_BODIES, BAD_PROXIES, BAD_STATUSES, BAD_TLS, BROKEN_CONNECTIONS]
    .flat()
    .map(({ says }) => says?.source.replace(/\\(.)/g, '$1') ?? '');
  const named = [
    ['ENOTFOUND', undefined],
    ['ENOTFOUND', 1000],
    ['ETIMEDOUT', undefined],
  ].map(([code, lateAfterMs]) => {
    const url = new URL('https://nowhere.example.com');
    const error = Object.assign(new Error(), { code });
    return wireProblem(error, url, { waitingFor: 'lookup' }, lateAfterMs as number | undefined).message;
  });
  const said = [...met, ...named].join('\n');
  const inProse: Readonly<Record<string, string>> = {
    'DNS lookup timed out': 'DNS lookup of nowhere.example.com timed out',
    'the proxy requires a user name and password': 'requires a user name and password',
    'closed (or reset) the connection': '(reset|closed) the connection',
  };
  for (const sentence of explained) expect(said).toContain(inProse[sentence] ?? sentence);
});

test('the retried statuses are those of the program, and the variables are there', () => {
  const [, list = '', last = ''] = /HTTP ([\d, ]+) and (\d+)\./.exec(topic) ?? [];
  const all = Array.from({ length: 400 }, (_, index) => index + 200);
  const retried = all.filter((status) => retryOfReply(status, new Headers(), 0) !== undefined);
  expect([...list.split(', '), last].map(Number)).toEqual(retried);
  for (const name of ['HTTPS_PROXY', 'NO_PROXY', 'SSL_CERT_FILE', 'NODE_TLS_REJECT_UNAUTHORIZED'])
    expect(topic).toContain(name);
});
