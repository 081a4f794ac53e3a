import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openFolder } from '../homes/folder';

/** PEM texts of a server. */
export interface Identity {
  readonly key: string;
  /** The certificate, with those between it and the CA after it, as a server sends them. */
  readonly cert: string;
}

export interface Leaf {
  /** As in subjectAltName; `IP:127.0.0.1, IP:::1, DNS:localhost` if left out. */
  readonly names?: string;
  /** As openssl(1) takes it; `/CN=gwtoken test serverN` if left out. */
  readonly subject?: string;
  /** Days from now, also negative; -1 and 30 if left out. */
  readonly from?: number;
  readonly until?: number;
  /** Signs with an intermediate authority, and sends its certificate or leaves it out. */
  readonly intermediate?: 'sent' | 'left out';
}

export interface Authority {
  /** The CA's certificate, as PEM text and as a file for `--ca-file` and its like. */
  readonly ca: string;
  readonly caFile: string;
  /** The same for the same wish. */
  issue(leaf?: Leaf): Identity;
  /** A certificate that vouches for itself, always the same. */
  selfSigned(): Identity;
  /** A path in the folder of this authority. */
  file(name: string): string;
}

const LOOPBACK = 'IP:127.0.0.1, IP:::1, DNS:localhost';

/** A CA that nobody trusts and that issues whatever a test wants, right or wrong, with openssl(1), 3.0 or later. */
export function makeAuthority(): Authority {
  const folder = openFolder();
  const file = (name: string) => join(folder, name);
  const text = (name: string) => readFileSync(file(name), 'utf8');
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe', cwd: folder });
  const configure = (names: string) => writeFileSync(file('openssl.cnf'), configuration(names));
  const makeKey = (name: string, subject: string, ...more: string[]) =>
    openssl(
      ...['req', '-config', 'openssl.cnf', '-subj', subject, '-nodes', '-keyout', `${name}.key`],
      ...['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', ...more],
    );
  const sign = (name: string, by: string, kind: string, from: number, until: number) =>
    openssl(
      ...['ca', '-batch', '-notext', '-config', 'openssl.cnf', '-extensions', kind, '-in', `${name}.csr`],
      ...['-cert', `${by}.pem`, '-keyfile', `${by}.key`, '-out', `${name}.pem`],
      ...['-startdate', asn1(from), '-enddate', asn1(until)],
    );
  configure(LOOPBACK);
  writeFileSync(file('index.txt'), '');
  makeKey('ca', '/CN=gwtoken test CA', '-x509', '-extensions', 'authority', '-days', '60', '-out', 'ca.pem');
  let count = 0;
  const issued = new Map<string, Identity>();
  let own: Identity | undefined;
  const issue = ({ names = LOOPBACK, subject, from = -1, until = 30, intermediate }: Leaf): Identity => {
    configure(names);
    const name = `server${count++}`;
    if (intermediate !== undefined && !existsSync(file('middle.pem'))) {
      makeKey('middle', '/CN=gwtoken test intermediate', '-new', '-out', 'middle.csr');
      sign('middle', 'ca', 'authority', -1, 30);
    }
    makeKey(name, subject ?? `/CN=gwtoken test ${name}`, '-new', '-out', `${name}.csr`);
    sign(name, intermediate === undefined ? 'ca' : 'middle', 'server', from, until);
    const chain = intermediate === 'sent' ? text('middle.pem') : '';
    return { key: text(`${name}.key`), cert: text(`${name}.pem`) + chain };
  };
  return {
    ca: text('ca.pem'),
    caFile: file('ca.pem'),
    issue(leaf = {}) {
      const wish = JSON.stringify(leaf);
      const identity = issued.get(wish) ?? issue(leaf);
      issued.set(wish, identity);
      return identity;
    },
    selfSigned() {
      if (own === undefined) {
        configure(LOOPBACK);
        makeKey('own', '/CN=localhost', '-x509', '-extensions', 'server', '-days', '30', '-out', 'own.pem');
        own = { key: text('own.key'), cert: text('own.pem') };
      }
      return own;
    },
    file,
  };
}

/** YYYYMMDDHHMMSSZ */
function asn1(days: number): string {
  return `${new Date(Date.now() + days * 86_400_000).toISOString().replace(/[-:T]|\..*/g, '')}Z`;
}

/** All our own: what the distribution's configuration adds to a certificate differs from one to the next. */
function configuration(names: string): string {
  return `[req]
distinguished_name = none
[none]
[authority]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[ca]
default_ca = issuing
[issuing]
database = index.txt
new_certs_dir = .
rand_serial = yes
default_md = sha256
policy = policy
unique_subject = no
[policy]
commonName = optional
organizationName = optional
organizationalUnitName = optional
[server]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
subjectAltName = ${names}
`;
}
