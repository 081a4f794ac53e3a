import { closedPort, startBlackHole } from '../../harness/endpoints/fault-server';
import { missing } from '../../harness/needs';
import { bad, FETCHED, GOOD, reply, scripted, TOKEN, type WireCase } from './scene';

const unreached = (says: RegExp, requests = 3) => ({ code: 6, says, requests });
const waits = (says: RegExp, requests = 1) => ({ ...unreached(says, requests), waits: true });

/** Faults that bad-proxies.ts repeats behind an https: proxy. */
export const ALSO_BEHIND_HTTPS = [
  scripted(
    'an open connection without a reply',
    {},
    waits(/did not answer within [\d.]+ s\nhint: check the VPN, HTTPS_PROXY and the auth URL/),
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
    'an endless body',
    {
      answer(socket) {
        socket.write('HTTP/1.1 200 OK\r\n\r\n{"access_token":"');
        const more = () => {
          while (!socket.destroyed && socket.write('x'.repeat(16_384)));
        };
        socket.on('drain', more);
        more();
      },
    },
    bad(/answered with more than 64 KiB/),
  ),
];

function cut(bytes: Buffer, ofBody: number): Buffer {
  return bytes.subarray(0, bytes.indexOf('\r\n\r\n') + 4 + ofBody);
}
