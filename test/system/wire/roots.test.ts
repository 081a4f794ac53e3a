/** The trusted CAs: Node's own, those of a file, and the system's if the CA is unknown. */
import { existsSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import * as tls from 'node:tls';
import { describe, expect, test } from 'vitest';
import { trustFile, trustSystem } from '../../../src/system/wire/certificates';
import { type Authority, type Identity, makeAuthority } from '../../harness/endpoints/authority';
import { startFaultServer } from '../../harness/endpoints/fault-server';
import { openDirectory } from '../../harness/homes/directory';
import { POST, wireIn } from './open-wire';

const answer = (socket: Socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');

const authority = makeAuthority();
/** Later versions of Node read the variables of the process instead of those that a test passes. */
const node20 =
  'getCACertificates' in tls ? 'needs Node 20: later ones read the stores themselves' : undefined;

test('a CA file adds to Node’s CAs and to those of NODE_EXTRA_CA_CERTS', ({ needs }) => {
  needs(node20);
  const text = join(openDirectory(), 'text');
  writeFileSync(text, 'hello\n');
  const { caFile, ca } = authority;
  const extraCas = (extra: string) =>
    trustFile(caFile, { NODE_EXTRA_CA_CERTS: extra }).ca?.slice(tls.rootCertificates.length, -1);
  expect(extraCas(caFile)).toEqual([ca]);
  for (const path of [text, '/nowhere', '']) expect(extraCas(path)).toEqual([]);
});

describe("the system's CAs", () => {
  test.for<[string, (own: Authority) => Identity & { readonly root?: string }]>([
    ['only a leaf', (own) => own.issue()],
    ['an intermediate', (own) => own.issue({ intermediate: 'sent' })],
    [
      'the root',
      (own) => {
        const { key, cert } = own.issue();
        return { key, cert: cert + own.ca };
      },
    ],
    [
      'a self-signed certificate',
      (own) => {
        const self = own.selfSigned();
        return { ...self, root: self.cert };
      },
    ],
  ])('are tried if the server sends %s', async ([_, issue], { needs }) => {
    needs(node20);
    const identity = issue(authority);
    const server = await startFaultServer({ answer }, { tls: identity });
    const file = join(openDirectory(), 'system.pem');
    writeFileSync(file, identity.root ?? authority.ca);
    const lines: string[] = [];
    await wireIn({ SSL_CERT_FILE: file })(server.url, { ...POST, trace: (line) => lines.push(line) });
    expect(lines).toEqual([
      `unknown CA; retrying with the CAs of ${file}`,
      expect.stringMatching(/^certificate of .*, trusted by /),
    ]);
    expect(lines[1]).toContain(`, trusted by ${file}`);
  });

  test('come from SSL_CERT_FILE, and on Linux also from the bundles', ({ needs }) => {
    const debian = '/etc/ssl/certs/ca-certificates.crt';
    needs(node20, existsSync(debian) ? undefined : 'needs Debian: ca-certificates');
    const own = { ca: ['own'] };
    const found = { ca: ['own', authority.ca], from: authority.caFile };
    for (const platform of ['linux', 'darwin', 'win32'] as const)
      expect(trustSystem(own, { SSL_CERT_FILE: authority.caFile }, platform)).toEqual(found);
    for (const none of [{}, { SSL_CERT_FILE: '/nowhere' }]) {
      expect(trustSystem(own, none, 'darwin')).toBeUndefined();
      expect(trustSystem(own, none, 'linux')).toMatchObject({ from: debian });
    }
  });

  test('come from SSL_CERT_FILE before the system’s store', () => {
    const from = (SSL_CERT_FILE: string) =>
      trustSystem({ ca: [] }, { SSL_CERT_FILE }, 'darwin', () => ['of the store'])?.from;
    expect(from(authority.caFile)).toBe(authority.caFile);
    expect(from('/nowhere')).toBe("the system's store");
  });
});
