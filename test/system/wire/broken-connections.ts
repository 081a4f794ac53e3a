import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { closedPort, startBlackHole } from '../../harness/endpoints/fault-server';
import { missing } from '../../harness/needs';
import { bad, FETCHED, GOOD, replies, reply, scripted, TOKEN, type WireCase } from './scene';

const unreached = (says: RegExp, requests = 3) => ({ code: 6, says, requests });
const waits = (says: RegExp, requests = 1) => ({ ...unreached(says, requests), waits: true });
const isLinux = process.platform === 'linux';

/** The connection itself: not there, silent, slow, cut at each place, and not HTTP. */
export const BROKEN_CONNECTIONS: readonly WireCase[] = [
  {
    name: 'refused',
    ...unreached(/could not reach 127\.0\.0\.1:\d+: connection refused/, 0),
    set: async () => ({ authUrl: `http://127.0.0.1:${await closedPort()}` }),
  },
  {
    name: 'black hole: no SYN is answered',
    ...waits(/did not answer within [\d.]+ s: could not connect to 127\.0\.0\.1:\d+/, 0),
    needs: missing('linux'),
    set: async () => ({ authUrl: `http://127.0.0.1:${(await startBlackHole()).port}` }),
  },
  scripted('accepted, then silence', {}, waits(/did not answer within [\d.]+ s\n/)),
  scripted(
    'headers that never end, one at a time',
    {
      answer(socket) {
        socket.write('HTTP/1.1 200 OK\r\n');
        drip(socket, () => 'X-Header: x\r\n');
      },
    },
    waits(/did not answer within [\d.]+ s\n/),
  ),
  scripted(
    'a body that comes one byte a second',
    {
      answer(socket) {
        const bytes = reply(200);
        const head = bytes.indexOf('\r\n\r\n') + 4;
        socket.write(bytes.subarray(0, head));
        let at = head;
        drip(socket, () => bytes.subarray(at++, at), 1000);
      },
    },
    waits(/did not answer within [\d.]+ s: incomplete reply/),
  ),
  scripted(
    'interim replies without end',
    { answer: (socket) => drip(socket, () => 'HTTP/1.1 102 Processing\r\n\r\n', 50) },
    waits(/did not answer within [\d.]+ s\n/),
  ),
  scripted(
    'reset at once',
    { connected: (socket) => void socket.resetAndDestroy() },
    unreached(/reset|closed/, 0),
  ),
  scripted(
    'reset before the headers',
    { answer: (socket) => void socket.resetAndDestroy() },
    unreached(/127\.0\.0\.1:\d+ (reset|closed) the connection without a reply/),
  ),
  scripted(
    'reset after the headers',
    {
      answer: (socket) =>
        socket.write(cut(reply(200), 0), () => setTimeout(() => socket.resetAndDestroy(), 50)),
    },
    unreached(/(reset|closed) the connection in the middle of the reply/),
  ),
  scripted(
    'closed without a reply',
    { answer: (socket) => void socket.end() },
    unreached(/closed the connection without a reply/),
  ),
  scripted(
    'a body cut short',
    { answer: (socket) => void socket.end(cut(reply(200), 20)) },
    unreached(/closed the connection in the middle of the reply/),
  ),
  scripted(
    'cut once, then whole',
    { answer: (socket, n) => void socket.end(n === 1 ? cut(reply(200), 20) : reply(200)) },
    { ...FETCHED, requests: 2, once: unreached(/in the middle of the reply/, 1) },
  ),
  scripted(
    'chunks with a broken size',
    { answer: (socket) => void socket.write(chunked(['10\r\n{"access_token":\r\n', 'zz\r\n'])) },
    bad(/answered with invalid HTTP/),
  ),
  scripted(
    'chunks that stop',
    { answer: (socket) => void socket.end(chunked(['10\r\n{"access_token":\r\n'])) },
    unreached(/in the middle of the reply/),
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
    'HTTP/1.0, its end is the end of the connection',
    { answer: (socket) => void socket.end(`HTTP/1.0 200 OK\r\n\r\n${JSON.stringify(GOOD)}`) },
    FETCHED,
  ),
  scripted(
    'half of a body without a length, then silence',
    { answer: (socket) => void socket.write(`HTTP/1.1 200 OK\r\n\r\n{"access_token":"${TOKEN}","tok`) },
    waits(/did not answer within [\d.]+ s: incomplete reply/),
  ),
  scripted(
    'half of a body without a length, then a reset',
    {
      answer: (socket) =>
        socket.write(`HTTP/1.1 200 OK\r\n\r\n{"access_token":"${TOKEN}","tok`, () => resetOnceRead(socket)),
    },
    unreached(/(reset|closed) the connection in the middle of the reply/),
  ),
  scripted(
    'no HTTP: another protocol speaks first',
    { connected: (socket) => void socket.write('SSH-2.0-OpenSSH_9.2p1\r\n') },
    bad(/did not answer with HTTP/),
  ),
  scripted(
    'no headers: HTTP/0.9',
    { answer: (socket) => void socket.end(JSON.stringify(GOOD)) },
    bad(/did not answer with HTTP/),
  ),
  scripted(
    'headers of 100 KB',
    { answer: (socket) => void socket.end(reply(200, GOOD, { 'X-Long': 'x'.repeat(100_000) })) },
    bad(/sent too many headers/),
  ),
  replies(
    'a control character in a header',
    reply(200, GOOD, { 'X-Request-Id': 'a\u0007' }),
    bad(/answered with invalid HTTP/),
  ),
  replies(
    'early hints and a continue before the reply',
    before('103 Early Hints\r\n\r\nHTTP/1.1 100 Continue'),
    FETCHED,
  ),
  replies(
    'two lengths',
    Buffer.from(reply(200).toString().replace('Content-Length', 'Content-Length: 20\r\nContent-Length')),
    bad(/answered with invalid HTTP\nhint: contact the operator/),
  ),
  replies(
    '101: a change of protocol',
    before('101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x'),
    {
      ...bad(/answered 101 \(unexpected protocol switch\)/),
    },
  ),
];

function drip(socket: Socket, next: () => string | Buffer, everyMs = 100): void {
  const timer = setInterval(() => socket.write(next()), everyMs);
  socket.on('close', () => clearInterval(timer));
}

function cut(bytes: Buffer, ofBody: number): Buffer {
  return bytes.subarray(0, bytes.indexOf('\r\n\r\n') + 4 + ofBody);
}

function chunked(parts: readonly string[]): string {
  return `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${parts.join('')}`;
}

function before(interim: string): Buffer {
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${interim}\r\n\r\n`), reply(200)]);
}

/** Of a reset that is there together with the text before it, Node tells as of a plain end. */
function resetOnceRead(socket: Socket): void {
  const timer = setInterval(() => {
    if (isLinux && unread(socket) > 0) return;
    clearInterval(timer);
    socket.resetAndDestroy();
  }, 50);
}

/** How many bytes wait for the client, on this machine, to read them: the queue of its own end (proc(5), net/tcp). */
function unread({ localPort = 0, remotePort = 0 }: Socket): number {
  const [client, server] = [remotePort, localPort].map((port) => port.toString(16).padStart(4, '0'));
  const line = new RegExp(`:${client} \\S+:${server} \\S+ \\S+:(\\S+)`, 'i');
  return Number.parseInt(line.exec(readFileSync('/proc/net/tcp', 'latin1'))?.[1] ?? '0', 16);
}
