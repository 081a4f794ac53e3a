/** Replies of real servers, played to the CLI: exit code, sentence, first hint. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inside } from '../harness/homes/in-process';
import { ROOT } from '../harness/root';

const FOLDER = join(ROOT, 'test', 'token', 'replies');

/** A refusal names the place of the credentials; another reply may have another cause. */
const CHECK = 'check GWTOKEN_CLIENT_ID and GWTOKEN_CLIENT_SECRET';
const ANY_CREDENTIALS = 'the client ID and secret';
const AUTH_URL = 'check the auth URL (gwtoken adds /oauth2/token to it)';
const API = "check the auth URL: this is an API's answer, not a token endpoint's";
const FORBIDDEN = `check the auth URL, and ${ANY_CREDENTIALS}`;
const CHECK_ANY = `check ${ANY_CREDENTIALS}`;
const GRANT = 'check on the Clients page that the client may use client_credentials';
const NO_GRANT = 'does not let this client use the client_credentials grant';
const OUTAGE = 'the problem is on the server; try again later';

/** Replies with a token, and its lifetime in seconds. */
const TOKENS: Readonly<Record<string, number>> = {
  '200-fraction': 3145,
  '200-strings': 2700,
  '201-token': 3600,
};

/** Exit code, end of the error and first hint of all other replies. */
const ERRORS: Readonly<Record<string, readonly [code: number, sentence: string, hint: string]>> = {
  '200-code-and-msg': [7, 'answered 200 without a valid access_token (unknown client)', CHECK_ANY],
  '200-error': [3, 'rejected the credentials (HTTP 200, invalid_client: wrong ID or secret)', CHECK],
  '200-expired': [
    7,
    'returned a token that has just expired (expires_in is 0) (3 attempts)',
    "try again after a second; if it persists, contact the endpoint's operator",
  ],
  '200-unknown-error': [
    7,
    'answered 200 without a valid access_token (incorrect_client_credentials: wrong ID or secret)',
    CHECK_ANY,
  ],
  '400-error-capital': [7, 'answered 400, client_id is missing', CHECK_ANY],
  '400-invalid-client-id': [7, 'answered 400, invalid_client_id: unknown client', CHECK_ANY],
  '400-invalid-grant': [
    3,
    'rejected the credentials (HTTP 400, invalid_grant: no user for this client)',
    CHECK,
  ],
  '400-invalid-request': [
    3,
    'rejected the request as invalid (HTTP 400, invalid_request: audience is required)',
    "ask the endpoint's operator what else a token request needs",
  ],
  '400-no-grant': [3, `${NO_GRANT} (HTTP 400, unauthorized_client: not for this client)`, GRANT],
  '400-no-scope': [
    3,
    'requires a scope, and gwtoken sends none (HTTP 400, invalid_scope: scope is required)',
    "ask the endpoint's operator to give this client a default scope",
  ],
  '400-problem': [7, 'answered 400, the client is unknown', CHECK_ANY],
  '400-summary': [7, 'answered 400, the request has no client ID', CHECK_ANY],
  '400-unavailable': [
    7,
    'answered 400, temporarily_unavailable: down for maintenance (retry after 1 h)',
    OUTAGE,
  ],
  '401-access-denied': [3, 'rejected the credentials (HTTP 401, access_denied: not allowed)', CHECK],
  '401-api': [7, 'answered 401, invalid_token: no token in the request', API],
  '401-challenge': [7, 'answered 401', API],
  '401-error-capital': [3, 'rejected the credentials (HTTP 401, the client ID is wrong)', AUTH_URL],
  '401-framework': [3, 'rejected the credentials (HTTP 401, Unauthorized: wrong ID or secret)', CHECK],
  '401-message': [3, 'rejected the credentials (HTTP 401, Unauthorized)', AUTH_URL],
  // Keycloak's code for a wrong secret.
  '401-no-grant': [3, 'rejected the credentials (HTTP 401, unauthorized_client: wrong ID or secret)', CHECK],
  '401-page': [3, 'rejected the credentials (HTTP 401 with an HTML page, perhaps from a proxy)', AUTH_URL],
  '401-unauthorized': [3, 'rejected the credentials (HTTP 401, unauthorized: wrong ID or secret)', CHECK],
  '403-access-denied': [7, 'answered 403, access_denied: not for this client', CHECK_ANY],
  '403-developer': [7, 'answered 403, the client is blocked', FORBIDDEN],
  '403-insufficient-scope': [7, 'answered 403, insufficient_scope', API],
  '403-no-grant': [3, `${NO_GRANT} (HTTP 403, unauthorized_client: not for this client)`, GRANT],
  '403-page': [7, 'answered 403 with an HTML page, perhaps from a proxy', FORBIDDEN],
  '403-unknown-path': [7, 'answered 403, no token for this path', FORBIDDEN],
  '404-framework': [7, 'answered 404, Not Found', AUTH_URL],
  '404-nested': [7, 'answered 404, no such path', AUTH_URL],
  '404-no-route': [7, 'answered 404, no route for this path', AUTH_URL],
  '405-detail': [7, 'answered 405, POST is not allowed', AUTH_URL],
  '422-list': [7, 'answered 422, field required', CHECK_ANY],
  '429-too-many': [
    7,
    'answered 429, too_many_requests: try later (retry after 1 h)',
    'too many requests: try again later',
  ],
  '500-fault': [7, 'answered 500, no such policy (3 attempts)', OUTAGE],
  '501-no-grant': [3, `${NO_GRANT} (HTTP 501, unsupported_grant_type: not offered)`, GRANT],
  '503-errors': [7, 'answered 503, down for maintenance (retry after 1 h)', OUTAGE],
};

function get(name: string) {
  const gw = inside();
  const file = readFileSync(join(FOLDER, `${name}.http`), 'latin1');
  const [head = '', body = ''] = file.split(/\r\n\r\n(.*)/s);
  const [first = '', ...lines] = head.split('\r\n');
  const headers = new Headers(lines.map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]));
  const reply = { status: Number(first.split(' ')[1]), headers, body: Buffer.from(body, 'latin1') };
  gw.own = { postForm: async () => reply, sleep: async () => {} };
  return gw.cli(['get', '--format', 'json']);
}

describe('a reply of a real server', () => {
  test('has a row in one of the tables', () => {
    const files = readdirSync(FOLDER).filter((name) => name.endsWith('.http'));
    expect(Object.keys({ ...TOKENS, ...ERRORS }).sort()).toEqual(
      files.map((name) => name.replace('.http', '')).sort(),
    );
  });

  test.each(Object.entries(TOKENS))('%s is a token', async (name, expires_in) => {
    const { code, stdout, stderr } = await get(name);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ expires_in });
  });

  test.each(Object.entries(ERRORS))(
    '%s is explained, with the next step first',
    async (name, [code, sentence, hint]) => {
      const ended = await get(name);
      expect(ended).toMatchObject({ code, stdout: '' });
      expect(ended.stderr.split('\n').slice(0, 2)).toEqual([
        `gwtoken: error: https://a.example.com/oauth2/token ${sentence}`,
        `hint: ${hint}`,
      ]);
    },
  );
});
