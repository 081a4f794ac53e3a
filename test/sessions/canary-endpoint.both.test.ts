/** A canary replaces the secret: it must appear in no output, whatever the endpoint answers. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { listen } from '../harness/endpoints/listen';
import { expectSilence, SECRET, TOKEN } from '../harness/homes/canary';
import { inVariables } from '../harness/homes/client';
import { openHome } from '../harness/homes/home';

type Reply = (request: IncomingMessage, response: ServerResponse, body: string) => void;
const json =
  (status: number, value: unknown, headers = {}): Reply =>
  (_, response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(value));
const refused = (description: string) =>
  json(401, { error: 'invalid_client', error_description: description });
const good = { access_token: TOKEN, token_type: 'Bearer', expires_in: 3600, scope: '' };

/** Replies of an endpoint, or of another server at its URL. The path of a request selects one. */
const REPLIES: Readonly<Record<string, [code: number, reply: Reply, timeout?: string]>> = {
  'a refusal that repeats the secret': [3, refused(`no ${SECRET}`)],
  'a refusal that repeats the form': [
    3,
    (_, response, body) =>
      void response.writeHead(400).end(JSON.stringify({ error: 'invalid_request', error_description: body })),
  ],
  'a refusal with the secret as its error code': [3, json(401, { error: SECRET })],
  'a refusal that repeats the form in base64': [
    3,
    (_, response, body) =>
      void response.writeHead(401).end(JSON.stringify({ error: 'x', message: btoa(body) })),
  ],
  'a redirect that carries the form': [
    7,
    (_, response, body) =>
      void response.writeHead(302, { location: `https://other.example.com/?${body}` }).end(),
  ],
  'an HTML page that repeats the form': [
    7,
    (_, response, body) =>
      void response.writeHead(200, { 'content-type': 'text/html' }).end(`<html>${body} ${SECRET}`),
  ],
  'a server error that repeats the secret': [
    7,
    json(500, { error: 'server_error', error_description: `${SECRET} ${TOKEN}` }),
  ],
  'another token type': [7, json(200, { ...good, token_type: TOKEN })],
  'a token with a newline': [7, json(200, { ...good, access_token: `${TOKEN}\n${SECRET}` })],
  'a token that is a list': [7, json(200, { ...good, access_token: [TOKEN] })],
  'an expires_in that is text': [7, json(200, { ...good, expires_in: TOKEN })],
  'incomplete JSON': [7, (_, response) => void response.end(JSON.stringify(good).slice(0, -3))],
  'more than 64 KiB': [7, json(200, { ...good, more: TOKEN.repeat(5000) })],
  'a connection cut in the middle': [
    6,
    (_, response) => {
      response.writeHead(200, { 'content-length': '9999' });
      response.write(JSON.stringify(good), () => response.destroy());
    },
  ],
  nothing: [6, () => {}, '1s'],
  'bytes that are not HTTP': [7, (request) => void request.socket.end(`${SECRET} ${TOKEN}\r\n\r\n`)],
};

describe.concurrent('gwtoken shows no secret and no token if the endpoint', async () => {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const name = decodeURIComponent((request.url ?? '').split('/')[1] ?? '');
    const reply = REPLIES[name]?.[1] ?? json(200, good);
    reply(request, response, body);
  });
  const { url } = await listen(server);
  const openClient = (path: string) =>
    openHome({
      ...inVariables(`${url}/${path}`, { clientId: 'id', clientSecret: SECRET }),
      GWTOKEN_RETRIES: '0',
    });

  test.for(Object.entries(REPLIES))('answers with %s', async ([name, [code, , timeout = '20s']]) => {
    const home = openClient(encodeURIComponent(name));
    const result = await home.gwtoken(['get', '-v', '--timeout', timeout]);
    expect(result).toMatchObject({ code, stdout: '' });
    expectSilence(home, result);
  });

  test('answers with a token that stdout does not accept', async ({ needs }) => {
    needs('linux');
    const home = openClient('good');
    const wrapper = ['sh', '-c', 'exec "$0" "$@" >/dev/full'];
    const result = await home.gwtoken(['get', '-v'], { wrapper });
    expect(result.code).toBe(1);
    expectSilence(home, result);
  });
});
