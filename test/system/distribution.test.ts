import { expect, test } from 'vitest';
import { hmac } from '../../src/system/distribution';

test.each([
  [
    'Jefe',
    'what do ya want for nothing?',
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  ],
  ['\x0b'.repeat(20), 'Hi There', 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7'],
])('hmac() computes the vector of RFC 4231 for the key %j', (key, text, digest) => {
  expect(hmac(text, Buffer.from(key))).toBe(digest);
});
