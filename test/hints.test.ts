/** The next steps after errors. hints.txt lists them by reason; `npm test -- -u` writes it. */
import { expect, test } from 'vitest';
import type { Cause } from '../src/causes';
import { GwtokenError } from '../src/errors';
import { hintsFor } from '../src/hints';

const TRUST = { setting: 'the auth URL', caFile: undefined, insteadOfSystem: [] };

/** Each cause with sample facts. */
const CAUSES: readonly Cause[] = [
  { reason: 'bad-value', allowed: 'eu or us' },
  { reason: 'not-a-url', example: 'https://identity.example.com' },
  { reason: 'not-a-url', example: 'https://identity.example.com', meant: 'https://id.test' },
  { reason: 'url-query', example: 'https://identity.example.com' },
  { reason: 'url-unencrypted', secure: 'https://id.test' },
  { reason: 'url-placeholder' },
  { reason: 'url-user' },
  { reason: 'flags-conflict' },
  { reason: 'no-unset-format' },
  { reason: 'unfit-format', instead: 'gwtoken exec -- COMMAND' },
  { reason: 'host-not-found', setting: 'the auth URL' },
  { reason: 'network', setting: 'the auth URL', unusedProxy: 'ALL_PROXY' },
  { reason: 'connection-refused', setting: 'HTTPS_PROXY' },
  { reason: 'connection-closed', setting: 'the auth URL' },
  { reason: 'no-tls', setting: 'the auth URL' },
  { reason: 'no-http-1', setting: 'the auth URL' },
  { reason: 'no-cipher', setting: 'the auth URL' },
  { reason: 'no-cipher-of-executable', setting: 'the auth URL' },
  { reason: 'handshake-failed', setting: 'the auth URL' },
  { reason: 'time-limit', setting: 'the auth URL' },
  { reason: 'certificate-time', ...TRUST },
  { reason: 'certificate-name', ...TRUST },
  { reason: 'self-signed', ...TRUST },
  { reason: 'unknown-ca', ...TRUST },
  { reason: 'unknown-ca', ...TRUST, caFile: '/ca.pem', insteadOfSystem: ['SSL_CERT_FILE'] },
  { reason: 'certificate', ...TRUST },
  { reason: 'ca-file' },
  { reason: 'bad-proxy-url', setting: 'HTTPS_PROXY' },
  { reason: 'not-a-proxy', setting: 'HTTPS_PROXY' },
  { reason: 'proxy-password', setting: 'HTTPS_PROXY', example: 'http://USER:PASSWORD@p.test:3128' },
  { reason: 'proxy-password-wrong' },
  { reason: 'proxy-refusal', target: 'id.test:443' },
  { reason: 'proxy-failure', target: 'id.test:443' },
  { reason: 'bad-http' },
  { reason: 'no-reply', mayWantCertificate: false },
  { reason: 'no-reply', mayWantCertificate: true },
  { reason: 'no-webassembly' },
  { reason: 'module-missing' },
  { reason: 'library-missing' },
  { reason: 'not-loadable' },
  { reason: 'no-session' },
  { reason: 'no-session', isForeign: true },
  { reason: 'no-provider' },
  { reason: 'no-collection' },
  { reason: 'locked' },
  { reason: 'denied' },
  { reason: 'timed-out' },
  { reason: 'timed-out', limitMs: 2500 },
  { reason: 'timed-out', limitMs: 3_600_000 },
  { reason: 'crashed' },
  { reason: 'key-mismatch' },
  { reason: 'command-failed', profile: 'acme' },
  { reason: 'command-output' },
  { reason: 'no-runner-file', variable: 'GITHUB_ENV' },
  { reason: 'not-appendable' },
  { reason: 'not-a-file' },
  { reason: 'not-writable' },
  { reason: 'relative-path' },
  { reason: 'stdout-failed' },
  { reason: 'lock-held' },
  { reason: 'system-limit', isMemory: false },
  { reason: 'system-limit', isMemory: true },
  { reason: 'command-not-found', shell: "sh -c '…'" },
  { reason: 'curl-not-found' },
];

const PLATFORMS = ['linux', 'darwin', 'win32'] as const;

test('hintsFor() names the next steps for each reason', async () => {
  const lines = CAUSES.flatMap((cause) => {
    const shown = PLATFORMS.map((platform) => hintsFor({ cause, hints: [] }, { platform }));
    const [common = []] = shown;
    const { reason, ...facts } = cause;
    const title = [reason, ...Object.entries(facts).map(([name, value]) => `${name}=${value}`)].join(' ');
    const others = PLATFORMS.flatMap((platform, at) =>
      shown[at]!.join() === common.join() ? [] : shown[at]!.map((hint) => `  ${platform}: ${hint}`),
    );
    return [title, ...common.map((hint) => `  ${hint}`), ...others];
  });
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('hints.txt');
});

test('hintsFor() returns the best two hints', () => {
  const error = new GwtokenError('refused', 'it said no', { hints: ['a', 'b', 'c'] });
  expect(hintsFor(error, { platform: 'linux' })).toEqual(['a', 'b']);
});
