/** A canary replaces the secret: it must appear in no output and in no new file, whatever fails. */
import { describe, expect, test } from 'vitest';
import type { FormReply } from '../../src/post-form';
import { expectSilence, SECRET, TOKEN } from '../harness/homes/canary';
import { inVariables, withoutVariables } from '../harness/homes/client';
import { filesBelow } from '../harness/homes/files';
import { inside } from '../harness/homes/in-process';

const AUTH_URL = 'https://a.example.com';
const VARIABLES = inVariables(AUTH_URL, { clientId: 'id', clientSecret: SECRET });

type Reply = (form: string) => FormReply;
const text =
  (status: number, body: string | ((form: string) => string), headers = {}): Reply =>
  (form) => ({
    status,
    headers: new Headers(headers),
    body: Buffer.from(typeof body === 'string' ? body : body(form)),
  });
const json = (status: number, value: unknown): Reply =>
  text(status, JSON.stringify(value), { 'content-type': 'application/json' });
const good = { access_token: TOKEN, token_type: 'Bearer', expires_in: 3600, scope: '' };

/** Replies of an endpoint, or of another server at its URL. */
const REPLIES: Readonly<Record<string, [code: number, reply: Reply]>> = {
  'a refusal that repeats the secret': [
    3,
    json(401, { error: 'invalid_client', error_description: `no ${SECRET}` }),
  ],
  'a refusal that repeats the form': [
    3,
    text(400, (form) => JSON.stringify({ error: 'invalid_request', error_description: form })),
  ],
  'a refusal with the secret as its error code': [3, json(401, { error: SECRET })],
  'a refusal that repeats the form in base64': [
    3,
    text(401, (form) => JSON.stringify({ error: 'x', message: btoa(form) })),
  ],
  'a redirect that carries the form': [
    7,
    (form) => text(302, '', { location: `https://other.example.com/?${form}` })(form),
  ],
  'an HTML page that repeats the form': [
    7,
    text(200, (form) => `<html>${form} ${SECRET}`, { 'content-type': 'text/html' }),
  ],
  'a server error that repeats the secret': [
    7,
    json(500, { error: 'server_error', error_description: `${SECRET} ${TOKEN}` }),
  ],
  'another token type': [7, json(200, { ...good, token_type: TOKEN })],
  'a token with a newline': [7, json(200, { ...good, access_token: `${TOKEN}\n${SECRET}` })],
  'a token that is a list': [7, json(200, { ...good, access_token: [TOKEN] })],
  'a token of another kind': [7, json(200, { data: { token: `Bearer ${TOKEN}` } })],
  'an expires_in that is text': [7, json(200, { ...good, expires_in: TOKEN })],
  'incomplete JSON': [7, text(200, JSON.stringify(good).slice(0, -3))],
};

test.each(Object.entries(REPLIES))(
  'get shows no secret and no token if the endpoint answers with %s',
  async (_, [code, reply]) => {
    const gw = inside();
    gw.env = { ...VARIABLES, GWTOKEN_RETRIES: '0' };
    gw.own = { postForm: async (__, { body }) => reply(body) };
    const result = await gw.cli(['get', '-v']);
    expect(result).toMatchObject({ code, stdout: '' });
    expectSilence(gw.dir, result);
  },
);

/** A failure on this machine: its exit code, command line and set-up. */
type LocalFailure = readonly [
  code: number,
  args: string,
  more?: {
    readonly env?: Readonly<Record<string, string>>;
    readonly stdin?: string;
    readonly config?: string | object;
    /** Text of the client's item in the keychain, which then replaces the variables. */
    readonly item?: string;
  },
];
const LOGIN = 'login --client-id id --secret-stdin';
const fromFile = (path: string) => ({ GWTOKEN_CLIENT_SECRET: '', GWTOKEN_CLIENT_SECRET_FILE: path });
const itemOf = (client_id: string, client_secret: string, auth_url: string) => ({
  item: JSON.stringify({ client_id, client_secret, auth_url }),
});
const FAILURES: Readonly<Record<string, LocalFailure>> = {
  'a min-ttl that is longer than the token lasts': [7, 'get --min-ttl 2h'],
  'a secret that is set in two variables': [2, 'get', { env: { GWTOKEN_CLIENT_SECRET_FILE: SECRET } }],
  'a secret on two lines': [2, 'get', { env: { GWTOKEN_CLIENT_SECRET: `a\n${SECRET}` } }],
  'ID and secret in one variable': [2, 'get', { env: { GWTOKEN_CLIENT_ID: `id\n${SECRET}` } }],
  'a secret in the variable of a secret file': [2, 'get', { env: fromFile(SECRET) }],
  'a secret in the auth URL': [2, `get --auth-url https://id:${encodeURIComponent(SECRET)}@id.example.com`],
  'a secret in the query of the auth URL': [
    2,
    `get --auth-url https://id.example.com/?client_secret=${SECRET}`,
  ],
  'a secret deep in the config': [2, 'get', { config: { 'min-ttl': { secret: SECRET } } }],
  'a secret in a config that is not JSON': [2, 'get', { config: `{"a": ${SECRET}` }],
  'a login that the endpoint refuses': [3, LOGIN, { stdin: SECRET }],
  'a login with a secret that is too long for an item': [2, LOGIN, { stdin: SECRET.repeat(100) }],
  'an item that is the bare secret': [5, 'get', { item: SECRET }],
  'an item without an ID': [5, 'get', { item: JSON.stringify({ client_secret: SECRET }) }],
  'an item that was stored for another auth URL': [
    2,
    'get',
    itemOf('a', SECRET, 'https://other.example.com'),
  ],
  'an item with the secret in its auth URL': [
    5,
    'get',
    itemOf('a', 'b', `https://a:${SECRET}@other.example.com`),
  ],
};

describe('gwtoken shows no secret and no token for', () => {
  test.each(Object.entries(FAILURES))('%s', async (_, [code, args, more = {}]) => {
    const { env = {}, stdin = '', config, item } = more;
    const gw = inside();
    gw.env = { ...(item === undefined ? VARIABLES : withoutVariables(VARIABLES)), ...env };
    gw.stdin = stdin;
    if (item !== undefined) gw.items.set('default:production:eu', item);
    if (config !== undefined) gw.configure(config);
    const refusal = { status: 401, body: { error: 'invalid_client', error_description: `not ${SECRET}` } };
    gw.answer = () => (args.startsWith('login') ? refusal : { body: good });
    const before = filesBelow(gw.dir);
    const result = await gw.cli([...args.split(' '), '-v']);
    expect(result.code, result.stderr).toBe(code);
    expectSilence(gw.dir, result, before);
  });
});
