/** The next steps after a failure, from its kind and reason, the query and the settings. */
import { expect, test } from 'vitest';
import { refusalSteps, withNextSteps } from '../../src/commands/hints';
import { GwtokenError } from '../../src/errors';
import type { ErrorKind } from '../../src/exit-codes';
import type { Query } from '../../src/token/query';
import { EU } from '../harness/homes/client';
import { sources } from '../settings/sources';

const QUERY = {
  client: EU,
  authUrl: {
    value: 'https://a.test',
    text: 'https://a.test',
    source: { kind: 'config', name: 'auth-url in /c.json' },
  },
  source: { kind: 'keychain', name: 'the test' },
} as unknown as Query;

const stepsAfter = (kind: ErrorKind, reason?: string, query = QUERY) =>
  withNextSteps(new GwtokenError(kind, 'm', { reason }), query, sources({})).hints;

const ELSEWHERE = 'if the client belongs to region us, use --region us';

test('a refusal names the stored client, or at a login what was typed', () => {
  const check = 'check the client ID and secret';
  expect(stepsAfter('refused', 'invalid_client')).toEqual([
    `${check} stored for default:production:eu`,
    ELSEWHERE,
  ]);
  const error = new GwtokenError('refused', 'm', { reason: 'invalid_client' });
  expect(refusalSteps(error, { client: EU })).toEqual([check, ELSEWHERE]);
});

test('a CA file that cannot be used is named with its source', () => {
  const caFile = { value: '/ca.pem', source: { kind: 'variable', name: 'GWTOKEN_CA_FILE' } };
  const error = new GwtokenError('usage', 'no such CA file: /ca.pem', { reason: 'ca-file', hints: ['h'] });
  const query = { ...QUERY, caFile } as unknown as Query;
  expect(withNextSteps(error, query, sources({}))).toMatchObject({
    message: 'no such CA file: /ca.pem (from GWTOKEN_CA_FILE)',
    hints: ['h'],
  });
});
