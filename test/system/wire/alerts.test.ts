/** TLS alerts that come when the handshake has ended for us, by the names that Node gives to them. */
import { expect, test } from 'vitest';
import type { Progress } from '../../../src/system/wire/connection';
import { wireProblem } from '../../../src/system/wire/problems';
import { retryOf } from '../../../src/token/reply';

function met(alert: string, waitingFor: Progress['waitingFor']) {
  const code = `ERR_SSL_${alert}`;
  const error = Object.assign(new Error(alert), { code });
  const problem = wireProblem(
    error,
    new URL('https://endpoint.test/oauth2/token'),
    { waitingFor },
    undefined,
  );
  return { message: problem.message, isRetried: retryOf(problem) !== undefined };
}

test.each([
  'TLSV13_ALERT_CERTIFICATE_REQUIRED',
  'SSLV3_ALERT_BAD_CERTIFICATE',
  'SSLV3_ALERT_CERTIFICATE_UNKNOWN',
  'SSLV3_ALERT_UNSUPPORTED_CERTIFICATE',
  'SSLV3_ALERT_HANDSHAKE_FAILURE',
  'TLSV1_ALERT_UNKNOWN_CA',
  'TLSV1_ALERT_ACCESS_DENIED',
])('%s wants a certificate, which no retry has', (alert) => {
  const message =
    'endpoint.test is not trusted: it requires a client certificate (mTLS), which gwtoken does not support';
  for (const waitingFor of ['reply', 'body'] as const)
    expect(met(alert, waitingFor)).toEqual({ message, isRetried: false });
});

test('another alert is named, and may pass', () => {
  expect(met('TLSV1_ALERT_INTERNAL_ERROR', 'reply')).toEqual({
    message: 'endpoint.test ended the connection with a TLS alert (ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR)',
    isRetried: true,
  });
});

test('in the handshake itself an alert may have other reasons', () => {
  expect(met('SSLV3_ALERT_HANDSHAKE_FAILURE', 'handshake').message).toBe(
    'could not reach endpoint.test: the TLS handshake failed (ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE)',
  );
});
