import { closedPort, startBlackHole } from '../../harness/endpoints/fault-server';
import { missing } from '../../harness/needs';
import { bad, FETCHED, GOOD, replies, reply, scripted, TOKEN, type WireCase } from './scene';

const unreached = (says: RegExp, requests = 3) => ({ code: 6, says, requests });
const waits = (says: RegExp, requests = 1) => ({ ...unreached(says, requests), waits: true });

/** Faults that bad-proxies.ts repeats behind an https: proxy. */
export const ALSO_BEHIND_HTTPS = [
  scripted(
    'an open connection without a reply',
    {},
    waits(/did not answer within [\d.]+ s\nhint: check the auth URL and the network/),
  ),
  scripted(
    'a reset before the headers',
    { answer: (socket) => void socket.resetAndDestroy() },
    { ...unreached(/127\.0\.0\.1:\d+ (reset|closed) the connection without a reply/), isQuick: true },
  ),
  scripted(
    'a body cut short',
    { answer: (socket) => void socket.end(cut(reply(200), 20)) },
    { ...unreached(/closed the connection in the middle of the reply/), isQuick: true },
  ),
];

/** Connections that are refused, silent, cut at some point, or not HTTP. */
export const BROKEN_CONNECTIONS: readonly WireCase[] = [
  {
    name: 'a refused connection',
    ...unreached(/could not reach 127\.0\.0\.1:\d+: connection refused/, 0),
    setUp: async () => ({ authUrl: `http://127.0.0.1:${await closedPort()}` }),
  },
  {
    name: 'a host that answers no SYN',
    ...waits(/did not answer within [\d.]+ s\n/, 0),
    needs: missing('linux'),
    setUp: async () => ({ authUrl: `http://127.0.0.1:${await startBlackHole()}` }),
  },
  ...ALSO_BEHIND_HTTPS,
  scripted(
    'a reset before the request',
    { connected: (socket) => void socket.resetAndDestroy() },
    unreached(/reset|closed/, 0),
  ),
  scripted(
    'chunks with a broken size',
    { answer: (socket) => void socket.write(chunked(['10\r\n{"access_token":\r\n', 'zz\r\n'])) },
    bad(/did not answer with valid HTTP/),
  ),
  scripted(
    'good chunks',
    {
      answer(socket) {
        const text = JSON.stringify(GOOD);
        const parts = [text.slice(0, 9), text.slice(9)].map(
          (part) => `${part.length.toString(16)}\r\n${part}\r\n`,
        );
        socket.write(chunked([...parts, '0\r\n\r\n']));
      },
    },
    FETCHED,
  ),
  scripted(
    'HTTP/1.0, whose body ends with the connection',
    { answer: (socket) => void socket.end(`HTTP/1.0 200 OK\r\n\r\n${JSON.stringify(GOOD)}`) },
    FETCHED,
  ),
  scripted(
    'half of a body without a length, then silence',
    { answer: (socket) => void socket.write(`HTTP/1.1 200 OK\r\n\r\n{"access_token":"${TOKEN}","tok`) },
    waits(/did not answer within [\d.]+ s\n/),
  ),
  scripted(
    'a server of another protocol, which speaks first',
    { connected: (socket) => void socket.write('SSH-2.0-OpenSSH_9.2p1\r\n') },
    bad(/did not answer with valid HTTP/),
  ),
  replies(
    'a change of protocol that gwtoken did not ask for',
    Buffer.from('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n'),
    bad(/oauth2\/token answered with a status 1xx, which gwtoken did not ask for\n/),
  ),
  replies(
    'two different values of Content-Length',
    Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}'),
    bad(/did not answer with valid HTTP/),
  ),
  replies(
    '100 Continue that gwtoken did not ask for',
    Buffer.concat([Buffer.from('HTTP/1.1 100 Continue\r\n\r\n'), reply(200)]),
    bad(/oauth2\/token answered with a status 1xx, which gwtoken did not ask for\n/),
  ),
  replies(
    'more than 16 KiB of headers',
    reply(200, GOOD, { 'X-Long': 'x'.repeat(17_000) }),
    bad(/oauth2\/token sent more than 16 KiB of headers\n/),
  ),
  replies(
    'early hints before the reply',
    Buffer.concat([Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'), reply(200)]),
    FETCHED,
  ),
];

function cut(bytes: Buffer, ofBody: number): Buffer {
  return bytes.subarray(0, bytes.indexOf('\r\n\r\n') + 4 + ofBody);
}

function chunked(parts: readonly string[]): string {
  return `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${parts.join('')}`;
}
