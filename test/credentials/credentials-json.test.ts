import { expect, test } from 'vitest';
import { parseCredentials } from '../../src/credentials/credentials';

const NO_PAIR = 'has no client_id or client_secret';
const NO_STRING = 'has a client_id or client_secret that is not a JSON string';
const BAD_ID =
  'has a client_id or client_secret that contains a character that is not allowed in a client ID';

test.each([
  ['nonsense', 'is not JSON'],
  ['null', NO_PAIR],
  ['{"client_id":"a"}', NO_PAIR],
  ['{"client_secret":"b"}', NO_PAIR],
  ['{"client_id":1234,"client_secret":"b"}', NO_STRING],
  ['{"client_id":"a","client_secret":null}', NO_STRING],
  ['{"client_id":"a","client_secret":""}', 'has a client_id or client_secret that is empty'],
  ['{"client_id":"ä","client_secret":"b"}', BAD_ID],
  ['{"client_id":"a","client_secret":"b","auth_url":null}', 'has an invalid auth_url'],
  ['{"client_id":"a","client_secret":"b","auth_url":"canary"}', 'has an invalid auth_url'],
])('parseCredentials() names the fault of %s', (text, fault) => {
  expect(parseCredentials(text, { profile: 'default', environment: 'production', region: 'eu' })).toBe(fault);
});
