import { generateKeyPairSync, type KeyObject, randomBytes, randomUUID, sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { join } from 'node:path';
import { openDirectory } from '../homes/directory';

/** Key and certificate of a server as PEM texts. */
export interface Identity {
  readonly key: string;
  /** The certificate and then the intermediate certificates, in the order in which a server sends them. */
  readonly cert: string;
}

/** The certificate of a server to issue. */
export interface Leaf {
  /** Names in the form of subjectAltName; by default `IP:127.0.0.1, IP:::1, DNS:localhost`. */
  readonly names?: string;
  /** Subject such as `/O=A Company/CN=id.test`; by default `/CN=gwtoken test server`. */
  readonly subject?: string;
  /** Validity in days from now, which can be negative; by default -1 to 30. */
  readonly from?: number;
  readonly until?: number;
  /** Signs with an intermediate CA, whose certificate the server sends or omits. */
  readonly intermediate?: 'sent' | 'left out';
}

/** An untrusted CA, and the files in its directory. */
export interface Authority {
  /** The CA's certificate, as PEM text and as a file for `--ca-file` and its like. */
  readonly ca: string;
  readonly caFile: string;
  issue(leaf?: Leaf): Identity;
  /** Returns a self-signed certificate, the same at each call. */
  selfSigned(): Identity;
  /** Returns a path in this authority's directory. `middle.pem` is the intermediate certificate. */
  file(name: string): string;
}

interface Signer {
  readonly subject: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

const LOOPBACK = 'IP:127.0.0.1, IP:::1, DNS:localhost';

/** Makes an untrusted CA, which issues valid and invalid certificates for tests. @see RFC 5280 */
export function makeAuthority(): Authority {
  const directory = openDirectory();
  const file = (name: string) => join(directory, name);
  // Clients find the CA of a certificate by its name.
  const root = signer(`/OU=${randomUUID()}/CN=gwtoken test CA`);
  const ca = certificate(root, root, AUTHORITY, -1, 60);
  writeFileSync(file('ca.pem'), ca);
  const middle = signer('/CN=gwtoken test intermediate');
  const middleCert = certificate(middle, root, AUTHORITY, -1, 30);
  writeFileSync(file('middle.pem'), middleCert);
  const self = signer('/CN=localhost');
  const selfSigned = { key: keyOf(self), cert: certificate(self, self, server(LOOPBACK), -1, 30) };
  return {
    ca,
    caFile: file('ca.pem'),
    issue({
      names = LOOPBACK,
      subject = '/CN=gwtoken test server',
      from = -1,
      until = 30,
      intermediate,
    } = {}) {
      const leaf = signer(subject);
      const by = intermediate === undefined ? root : middle;
      const cert = certificate(leaf, by, server(names), from, until);
      return { key: keyOf(leaf), cert: cert + (intermediate === 'sent' ? middleCert : '') };
    },
    selfSigned: () => selfSigned,
    file,
  };
}

const signer = (subject: string): Signer => ({
  subject,
  ...generateKeyPairSync('ec', { namedCurve: 'prime256v1' }),
});
const keyOf = ({ privateKey }: Signer): string => String(privateKey.export({ type: 'pkcs8', format: 'pem' }));

const ECDSA_WITH_SHA256 = '2a8648ce3d040302';

/** Returns the PEM text of a certificate for a public key. @see RFC 5280 section 4.1 */
function certificate(
  of: Signer,
  by: Signer,
  extensions: readonly Buffer[],
  from: number,
  until: number,
): string {
  const publicKey = of.publicKey.export({ type: 'spki', format: 'der' });
  const algorithm = sequence(oid(ECDSA_WITH_SHA256));
  const signed = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(1), randomBytes(15)),
    algorithm,
    distinguishedName(by.subject),
    sequence(time(from), time(until)),
    distinguishedName(of.subject),
    publicKey,
    der(0xa3, sequence(...extensions)),
  );
  const bytes = sequence(signed, algorithm, bits(sign('sha256', signed, by.privateKey)));
  const lines = bytes.toString('base64').replace(/.{64}/g, '$&\n').trimEnd();
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}

/** Encodes tag, length and content. @see X.690 */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, ...parts);
const bits = (content: Buffer): Buffer => der(0x03, Buffer.of(0), content);
const text = (content: string, tag = 0x0c): Buffer => der(tag, Buffer.from(content));

/** Encodes an object identifier, given in hexadecimal as its encoded content. */
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));

const time = (days: number): Buffer =>
  text(`${new Date(Date.now() + days * 86_400_000).toISOString().replace(/^..|[-:T]|\..*/g, '')}Z`, 0x17);

const ATTRIBUTES: Readonly<Record<string, string>> = { CN: '550403', O: '55040a', OU: '55040b' };
const distinguishedName = (subject: string): Buffer =>
  sequence(
    ...[...subject.matchAll(/\/(\w+)=([^/]*)/g)].map(([, type = '', value = '']) =>
      der(0x31, sequence(oid(ATTRIBUTES[type] ?? ''), text(value))),
    ),
  );

const extension = (id: string, value: Buffer): Buffer => sequence(oid(id), der(0x04, value));

/** The extension basicConstraints with CA:TRUE. */
const AUTHORITY = [extension('551d13', sequence(der(0x01, Buffer.of(255))))];
const server = (names: string): Buffer[] => [
  extension('551d11', sequence(...names.split(', ').map(alternativeName))),
];

function alternativeName(name: string): Buffer {
  const value = name.slice(name.indexOf(':') + 1);
  if (name.startsWith('DNS:')) return text(value, 0x82);
  return der(0x87, isIPv4(value) ? Buffer.from(value.split('.').map(Number)) : IPV6_LOOPBACK);
}
/** The bytes of `::1`, the only IPv6 address in the tests' certificates. */
const IPV6_LOOPBACK = Buffer.alloc(16).fill(1, 15);
