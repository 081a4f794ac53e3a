/** `gwtoken help network` says what the program says. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { attempt } from '../../src/errors';
import { wireProblem } from '../../src/system/wire/problems';
import { messageOf } from '../../src/system-errors';
import { judgeReply, retryOfReply } from '../../src/token/reply';
import { ROOT } from '../harness/root';
import { BAD_PROXIES } from '../system/wire/bad-proxies';
import { BAD_REPLIES } from '../system/wire/bad-replies';
import { BAD_TLS } from '../system/wire/bad-tls';
import { BROKEN_CONNECTIONS } from '../system/wire/broken-connections';

const topic = readFileSync(join(ROOT, 'src', 'cli', 'topics', 'network.md'), 'utf8');

test('each sentence that it explains is one that the program has', () => {
  const told = topic.slice(topic.indexOf('## What each error means'), topic.indexOf('Exit code 3'));
  const explained = [...told.matchAll(/\*\*([^*]+)\*\*/g)].map(([, sentence = '']) =>
    sentence.replace(/\s+/g, ' '),
  );
  expect(explained.length).toBeGreaterThan(15);
  // What the built program says is what the wire's tests expect of it; names and most replies are not among them.
  const met = [BAD_REPLIES, BAD_PROXIES, BAD_TLS, BROKEN_CONNECTIONS]
    .flat()
    .map(({ says }) => says?.source.replace(/\\(.)/g, '$1') ?? '');
  const named = [
    ['ENOTFOUND', undefined],
    ['ENOTFOUND', 1000],
    ['EAI_AGAIN', undefined],
    ['ETIMEDOUT', undefined],
  ].map(([code, lateAfterMs]) => {
    const url = new URL('https://nowhere.example.com');
    const error = Object.assign(new Error(), { code });
    return wireProblem(error, url, { waitingFor: 'lookup' }, lateAfterMs as number | undefined).message;
  });
  const judged = [
    [500, ''],
    [429, ''],
    [404, ''],
    [302, ''],
    [200, '<html>'],
    [200, '{"access_token":"ü"}'],
    [200, '{"access_token":"a","token_type":"mac"}'],
    [200, '{"access_token":"a","token_type":"bearer","expires_in":0}'],
  ].map(([status, body]) => {
    const reply = { status: Number(status), headers: new Headers(), body: Buffer.from(String(body)) };
    const request = { endpoint: 'endpoint', requestedAtMs: 0, receivedAtMs: 0, secret: 's' };
    return messageOf(attempt(() => judgeReply({ ...reply, ...request })));
  });
  const said = [...met, ...named, ...judged].join('\n');
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
