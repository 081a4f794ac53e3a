import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Certificates {
  /** The CA's certificate, as PEM text and as a file for `--ca-file` and its like. */
  readonly ca: string;
  readonly caFile: string;
  /** PEM texts of a server at 127.0.0.1, ::1 and localhost, ready for `startIdentityServer({ tls })`. */
  readonly key: string;
  readonly cert: string;
  /** Removes the folder with `caFile`. */
  remove(): void;
}

/**
 * Makes a CA that nobody trusts and a server certificate from it, with openssl(1), 3.0 or later.
 * The validity is in days from now.
 */
export function makeCertificates({ days = 30 }: { readonly days?: number } = {}): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'gwtoken-certificates-'));
  const file = (name: string) => join(folder, name);
  const text = (name: string) => readFileSync(file(name), 'utf8');
  // A configuration of our own: what the distribution's adds to a certificate differs from one to the next.
  writeFileSync(
    file('openssl.cnf'),
    `[req]
distinguished_name = none
[none]
[ca]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[server]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
subjectAltName = IP:127.0.0.1, IP:::1, DNS:localhost
`,
  );
  const certify = (name: string, subject: string, ...more: string[]) => {
    const key = [
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-keyout',
      file(`${name}.key`),
    ];
    const made = [
      '-config',
      file('openssl.cnf'),
      '-extensions',
      name,
      '-days',
      String(days),
      '-out',
      file(`${name}.pem`),
    ];
    execFileSync('openssl', ['req', '-x509', '-subj', subject, ...key, ...made, ...more], { stdio: 'pipe' });
  };
  try {
    certify('ca', '/CN=gwtoken test CA');
    certify('server', '/CN=localhost', '-CA', file('ca.pem'), '-CAkey', file('ca.key'));
    return {
      ca: text('ca.pem'),
      caFile: file('ca.pem'),
      key: text('server.key'),
      cert: text('server.pem'),
      remove: () => rmSync(folder, { recursive: true, force: true }),
    };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}
