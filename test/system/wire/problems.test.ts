/** What is shown of texts that the other side has chosen: on one line, and cut. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wireProblem } from '../../../src/system/wire/problems';

test('the names in a certificate are cleaned of all but ASCII, and cut', () => {
  const said = (subjectaltname: string) => {
    const error = Object.assign(new Error('altnames'), {
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
      cert: { subjectaltname },
    });
    const { kind, reason, message } = wireProblem(
      error,
      new URL('https://a.test/oauth2/token'),
      { waitingFor: 'handshake' },
      undefined,
    );
    expect([kind, reason]).toEqual(['unreached', 'certificate']);
    return message.replace('a.test is not trusted: its certificate is ', '');
  };
  expect(said('DNS:x.test, IP Address:127.0.0.1')).toBe('only valid for x.test, 127.0.0.1');
  expect(said('')).toBe('not valid for any host name');
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 400 }), (names) => {
      expect(said(`${names}.`)).toMatch(/^only valid for [\x20-\x7e]{1,200}$/);
    }),
  );
});
