import { startFaultServer } from '../../harness/endpoints/fault-server';
import { bad, FETCHED, replies, reply, SECRET, SENDS_TOKEN, scripted, type WireCase } from './scene';

/** Complete replies. test/token/reply.test.ts tests each status and each member of a body. */
export const BAD_REPLIES: readonly WireCase[] = [
  replies('a token', reply(200), FETCHED),
  replies(
    '401 invalid_client, with the secret in its description',
    reply(401, { error: 'invalid_client', error_description: `bad secret: ${SECRET}` }),
    {
      code: 3,
      says: /rejected the credentials \(HTTP 401, invalid_client\)[\s\S]*hint: if the client belongs to region us/,
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
