import { startFaultServer } from '../../harness/endpoints/fault-server';
import { bad, FETCHED, replies, reply, SECRET, type WireCase } from './scene';

const RFC_6749 = [
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
];
const HTML = '<!DOCTYPE html><html><body>Request blocked</body></html>';
const asHtml = { 'Content-Type': 'text/html' };
const refused = (says: RegExp) => ({ code: 3, says, requests: 1 });
const date = (inMs: number) => new Date(Date.now() + inMs).toUTCString();

/** Statuses other than a plain 200: refusals, outages, limits. */
export const BAD_STATUSES: readonly WireCase[] = [
  ...RFC_6749.map((error) =>
    replies(
      `400 ${error}`,
      reply(400, { error, error_description: 'no such thing' }),
      refused(new RegExp(`rejected the credentials \\(HTTP 400, ${error}: no such thing\\)`)),
    ),
  ),
  replies('400 with a code of its own', reply(400, { error: 'no_coffee' }), bad(/answered 400, no_coffee/)),
  replies('400 without a body', reply(400, ''), bad(/answered 400\n/)),
  replies(
    '401 with WWW-Authenticate',
    reply(401, { error: 'invalid_client' }, { 'WWW-Authenticate': 'Basic realm="x"' }),
    refused(/\(HTTP 401, invalid_client\)[\s\S]*hint: if the client belongs to region us, use --region us/),
  ),
  replies('401 with nothing', reply(401, ''), refused(/rejected the credentials \(HTTP 401\)/)),
  replies('401 with HTML', reply(401, HTML, asHtml), refused(/401 with an HTML page/)),
  replies(
    "403 HTML: a firewall's",
    reply(403, HTML, asHtml),
    bad(/answered 403 with an HTML page \(from a proxy\?\)/),
  ),
  replies(
    '403 unauthorized_client',
    reply(403, { error: 'unauthorized_client' }),
    refused(/unauthorized_client/),
  ),
  replies(
    '400 of nginx: no client certificate',
    reply(400, '<html><head><title>400 No required SSL certificate was sent</title></head></html>', asHtml),
    bad(
      /answered 400: it requires a client certificate \(mTLS\), which gwtoken does not support\nhint: check the auth URL/,
    ),
  ),
  ...[
    'Client sent an HTTP request to an HTTPS server.\n',
    "Reason: You're speaking plain HTTP to an SSL-enabled server port.<br />",
  ].map((page) =>
    replies(
      `400 of a server that speaks TLS: ${page.slice(0, 20)}`,
      reply(400, page, asHtml),
      bad(/answered 400: it speaks TLS on this port\nhint: write https: in the auth URL\n/),
    ),
  ),
  replies('404', reply(404, 'not found'), bad(/answered 404[\s\S]*hint: check the auth URL/)),
  replies('405', reply(405, ''), bad(/answered 405/)),
  replies('407 from the endpoint', reply(407, ''), bad(/answered 407/)),
  replies('408', reply(408, ''), bad(/answered 408 \(3 attempts\)/, 3)),
  replies('421', reply(421, ''), bad(/answered 421\n/)),
  replies('425', reply(425, ''), bad(/answered 425 \(3 attempts\)/, 3)),
  replies(
    '429, Retry-After in seconds',
    reply(429, { error: 'slow_down' }, { 'Retry-After': '1' }),
    bad(/answered 429, slow_down \(retry after 1 s\) \(3 attempts\)/, 3),
  ),
  {
    name: '429, Retry-After as a date',
    ...bad(/answered 429 \(retry after [\d.]+ s\) \(3 attempts\)/, 3),
    async set() {
      const endpoint = await startFaultServer({
        answer: (socket) => void socket.write(reply(429, '', { 'Retry-After': date(2000), Date: date(0) })),
      });
      return { authUrl: endpoint.url, endpoint };
    },
  },
  replies(
    '429, Retry-After beyond the limit',
    reply(429, '', { 'Retry-After': '120' }),
    bad(/answered 429 \(retry after 120 s\)\n/),
  ),
  replies(
    '429, Retry-After absurd',
    reply(429, '', { 'Retry-After': '99999999999999999999' }),
    bad(/\(retry after more than 1000000000 s\)\n/),
  ),
  replies(
    '429, Retry-After nonsense',
    reply(429, '', { 'Retry-After': 'soon' }),
    bad(/answered 429 \(3 attempts\)/, 3),
  ),
  replies('429 without Retry-After', reply(429, ''), bad(/answered 429 \(3 attempts\)/, 3)),
  replies('429, then a token', [reply(429, '', { 'Retry-After': '1' }), reply(200)], {
    ...FETCHED,
    requests: 2,
    waitsMs: 1500,
    once: { code: 7, says: /answered 429/, requests: 1 },
  }),
  replies('500', reply(500, HTML, asHtml), bad(/answered 500 with an HTML page.*\(3 attempts\)/, 3)),
  replies('501', reply(501, ''), bad(/answered 501\n/)),
  replies('502', reply(502, ''), bad(/answered 502 \(3 attempts\)/, 3)),
  replies('503', reply(503, ''), bad(/answered 503 \(3 attempts\)/, 3)),
  replies('504', reply(504, ''), bad(/answered 504 \(3 attempts\)/, 3)),
  replies('505', reply(505, ''), bad(/answered 505\n/)),
  replies('503 twice, then a token', [reply(503, ''), reply(503, ''), reply(200)], {
    ...FETCHED,
    requests: 3,
    waitsMs: 1500,
    once: { code: 7, says: /answered 503/, requests: 1 },
  }),
  replies('503, then a refusal', [reply(503, ''), reply(400, { error: 'invalid_client' })], {
    code: 3,
    says: /invalid_client\) \(2 attempts\)/,
    requests: 2,
    once: { code: 7, says: /answered 503/, requests: 1 },
  }),
  replies('201 with a token', reply(201), bad(/answered 201/)),
  replies('204', reply(204, '', { 'Content-Length': '0' }), bad(/answered 204/)),
  replies('206 with a token', reply(206), bad(/answered 206/)),
  replies('999', reply(999, ''), bad(/answered 999/)),
  replies(
    'an error_description with escapes',
    reply(400, { error: 'invalid_request', error_description: '\u001b[2J\u001b[31mred\r\nand\u202eblue' }),
    refused(/\(HTTP 400, invalid_request: \[2J \[31mred and blue\)\n/),
  ),
  replies(
    'an error_description of 10 KB',
    reply(400, { error: 'invalid_request', error_description: 'long '.repeat(2000) }),
    refused(/: (long ){39}long …\)\n/),
  ),
  ...[
    SECRET,
    encodeURIComponent(SECRET),
    new URLSearchParams({ s: SECRET }).toString().slice(2),
    JSON.stringify(SECRET),
    Buffer.from(SECRET).toString('base64'),
  ].map((form, index) =>
    replies(
      `an error_description with the secret in it, form ${index + 1}`,
      reply(400, { error: 'invalid_client', error_description: `bad secret: ${form}` }),
      refused(/\(HTTP 400, invalid_client\)\n/),
    ),
  ),
  ...[300, 301, 302, 303, 307, 308].flatMap((status) => [
    redirect(
      status,
      'another host',
      (_, other) => `${other}/oauth2/token?secret=1`,
      /to http:\/\/127\.0\.0\.1:\d+\/oauth2\/token; gwtoken never follows redirects/,
    ),
    redirect(
      status,
      'the same host',
      () => '/login',
      /to http:\/\/127\.0\.0\.1:\d+\/login; gwtoken never follows redirects/,
    ),
  ]),
  replies(
    '304',
    reply(304, '', { 'Content-Length': '0' }),
    bad(/answered 304, a redirect; gwtoken never follows redirects/),
  ),
  replies(
    'a redirect to an address with the secret in it',
    reply(302, '', { Location: `/x/${encodeURIComponent(SECRET)}` }),
    bad(/answered 302, a redirect; gwtoken never follows redirects/),
  ),
];

function redirect(
  status: number,
  where: string,
  location: (own: string, other: string) => string,
  says: RegExp,
): WireCase {
  return {
    name: `${status} to ${where}`,
    ...bad(says),
    async set() {
      const stranger = await startFaultServer({ answer: (socket) => void socket.write(reply(200)) });
      const endpoint = await startFaultServer({
        answer: (socket) =>
          void socket.write(reply(status, '', { Location: location(endpoint.url, stranger.url) })),
      });
      return { authUrl: endpoint.url, endpoint, strangers: [stranger] };
    },
  };
}
