import { brotliCompressSync, gzipSync } from 'node:zlib';
import { bad, FETCHED, GOOD, replies, reply, scripted, TOKEN, type WireCase } from './scene';

const good = (more: object = {}) => reply(200, { ...GOOD, ...more });
const without = (name: string) =>
  reply(200, Object.fromEntries(Object.entries(GOOD).filter(([key]) => key !== name)));
const json = Buffer.from(JSON.stringify(GOOD));
const encoded = (body: Buffer, encoding: string) => reply(200, body, { 'Content-Encoding': encoding });
const member = (name: string, value: unknown, expected: Omit<WireCase, 'name' | 'set'>) =>
  replies(`${name}: ${brief(JSON.stringify(value))}`, good({ [name]: value }), expected);

const brief = (text: string) =>
  text.length > 40 ? `${text.slice(0, 10)}… (${text.length} characters)` : text;

/** The body of a 200: what it is, and each member of the reply. */
export const BAD_BODIES: readonly WireCase[] = [
  replies('a plain good reply', good(), FETCHED),
  replies('identity, in any case, and a space behind it', encoded(json, 'Identity '), FETCHED),
  ...(
    [
      ['gzip', gzipSync(json)],
      ['br', brotliCompressSync(json)],
      ['GZIP', json],
      ['gzip, identity', gzipSync(json)],
      ['\u00fc', json],
    ] as const
  ).map(([encoding, body]) =>
    replies(
      `the encoding ${encoding}, which was not asked for`,
      encoded(body, encoding),
      bad(/used an unsupported content encoding \([\w?, ]+\)\nhint: contact the operator/),
    ),
  ),
  replies('BOM', reply(200, Buffer.concat([Buffer.from('\ufeff'), json])), FETCHED),
  replies(
    'not UTF-8',
    reply(200, Buffer.from(JSON.stringify({ ...GOOD, scope: 'ü' }), 'latin1')),
    bad(/answered 200, but not with a JSON object/),
  ),
  replies(
    'UTF-16',
    reply(200, Buffer.from(json.toString(), 'utf16le')),
    bad(/answered 200, but not with a JSON object/),
  ),
  replies(
    'HTML',
    reply(200, '<html></html>', { 'Content-Type': 'text/html' }),
    bad(/answered 200 with an HTML page/),
  ),
  replies(
    'HTML that says it is JSON',
    reply(200, '  <!DOCTYPE html>'),
    bad(/answered 200 with an HTML page/),
  ),
  replies('JSON that says it is text', reply(200, GOOD, { 'Content-Type': 'text/plain' }), FETCHED),
  replies('empty', reply(200, ''), bad(/answered 200 with an empty body/)),
  replies('blank', reply(200, ' '.repeat(100)), bad(/answered 200, but not with a JSON object/)),
  replies('64 KiB', reply(200, json.toString().padEnd(65_536)), FETCHED),
  replies(
    '64 KiB and one byte',
    reply(200, json.toString().padEnd(65_537)),
    bad(/answered with more than 64 KiB/),
  ),
  scripted(
    'without end',
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
  replies('an array', reply(200, [GOOD]), bad(/answered 200, but not with a JSON object/)),
  replies('a string', reply(200, JSON.stringify(TOKEN)), bad(/answered 200, but not with a JSON object/)),
  replies('null', reply(200, 'null'), bad(/answered 200, but not with a JSON object/)),
  replies('60,000 brackets', reply(200, '['.repeat(60_000)), bad(/answered 200, but not with a JSON object/)),
  replies(
    'a deep member beside',
    reply(200, `${JSON.stringify(GOOD).slice(0, -1)},"x":${'['.repeat(20_000)}${']'.repeat(20_000)}}`),
    FETCHED,
  ),
  replies(
    'a key twice: the last one counts',
    reply(200, `{"access_token":"first",${JSON.stringify(GOOD).slice(1)}`),
    FETCHED,
  ),
  replies(
    'a key twice: the last one is bad',
    reply(200, `${JSON.stringify(GOOD).slice(0, -1)},"access_token":7}`),
    bad(/without a valid access_token/),
  ),
  replies(
    '__proto__',
    reply(200, `{"__proto__":${JSON.stringify(GOOD)}}`),
    bad(/without a valid access_token/),
  ),
  replies(
    '200 with an error',
    reply(200, { error: 'invalid_client', error_description: 'nobody' }),
    bad(/answered 200 with an error instead of a token \(invalid_client: nobody\)/),
  ),

  ...[3600, '3600', 1e15, 1e300, '9'.repeat(300), null].map((value) => member('expires_in', value, FETCHED)),
  replies('expires_in absent', without('expires_in'), FETCHED),
  ...[0, -1, 3600.5, '3600.5', '-1', '0', '', ' 3600', '1e3', true, [], {}].map((value) =>
    member('expires_in', value, bad(/an expires_in that is not a positive integer/)),
  ),
  replies(
    'expires_in: 1e400',
    reply(200, `{"access_token":"${TOKEN}","token_type":"bearer","expires_in":1e400}`),
    bad(/an expires_in that is not/),
  ),

  ...['bearer', 'BEARER', 'bEaReR'].map((value) => member('token_type', value, FETCHED)),
  replies('token_type absent', without('token_type'), bad(/returned no token_type/)),
  ...['mac', 'DPoP', '', 'bearer ', null, 7].map((value) =>
    member('token_type', value, bad(/a token_type other than bearer/)),
  ),

  replies('access_token absent', without('access_token'), bad(/without a valid access_token/)),
  ...['', 12345, null, true, ['a'], {}].map((value) =>
    member('access_token', value, bad(/without a valid access_token/)),
  ),
  ...['two\nlines', 'tab\t', 'nul\u0000', 'ünicode', '\u2028', 'x\u007f'].map((value) =>
    member('access_token', value, bad(/an access_token with invalid characters/)),
  ),
  member('access_token', 'x'.repeat(32_768), { ...FETCHED, token: 'x'.repeat(32_768) }),
  member('access_token', 'x'.repeat(32_769), bad(/an access_token longer than 32 KiB/)),
  member('access_token', 'x'.repeat(100_000), bad(/answered with more than 64 KiB/)),

  ...['', 'read write', null].map((value) => member('scope', value, FETCHED)),
  ...['a\nb', 7, ['read']].map((value) => member('scope', value, bad(/returned an invalid scope/))),
];
