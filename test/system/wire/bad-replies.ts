import { startFaultServer } from '../../harness/endpoints/fault-server';
import { bad, FETCHED, GOOD, replies, reply, SECRET, SENDS_TOKEN, scripted, type WireCase } from './scene';

/** Complete replies, and bytes that are none. test/token/reply.test.ts tests each status and member of a body. */
export const BAD_REPLIES: readonly WireCase[] = [
  replies('a token', reply(200), FETCHED),
  replies(
    '401 invalid_client, with the secret in its description',
    reply(401, { error: 'invalid_client', error_description: `bad secret: ${SECRET}` }),
    {
      code: 3,
      says: /rejected the credentials \(HTTP 401, invalid_client\)[\s\S]*hint: check GWTOKEN_CLIENT_ID and GWTOKEN_CLIENT_SECRET/,
      requests: 1,
    },
  ),
  replies('503', reply(503, ''), bad(/answered 503 \(3 attempts\)/, 3)),
  {
    name: 'a redirect to another host',
    ...bad(/to http:\/\/127\.0\.0\.1:\d+\/oauth2\/token; gwtoken never follows redirects/),
    isQuick: true,
    async setUp() {
      const stranger = await startFaultServer(SENDS_TOKEN);
      const location = `${stranger.url}/oauth2/token?secret=1`;
      const endpoint = await startFaultServer({
        answer: (socket) => void socket.write(reply(307, '', { Location: location })),
      });
      return { authUrl: endpoint.url, endpoint, strangers: [stranger] };
    },
  },
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
    'a server of another protocol, which speaks first',
    { connected: (socket) => void socket.write('SSH-2.0-OpenSSH_9.2p1\r\n') },
    bad(/did not answer with valid HTTP/),
  ),
  replies(
    'a change of protocol that gwtoken did not ask for',
    Buffer.from('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n'),
    bad(/did not answer with valid HTTP/),
  ),
  replies(
    'more than 16 KiB of headers',
    reply(200, GOOD, { 'X-Long': 'x'.repeat(17_000) }),
    bad(/did not answer with valid HTTP/),
  ),
  replies(
    'early hints before the reply',
    Buffer.concat([Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'), reply(200)]),
    FETCHED,
  ),
];

function chunked(parts: readonly string[]): string {
  return `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${parts.join('')}`;
}
