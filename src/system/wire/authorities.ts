/**
 * Certificate authorities beyond those that Node trusts by itself. Giving `ca` to Node replaces its own roots, so
 * whatever is added comes with them.
 */

import { X509Certificate } from 'node:crypto';
import * as tls from 'node:tls';
import { GwtokenError, messageOf, systemCode } from '../../errors';
import { shellWord } from '../../text';
import type { Env } from '../../world/streams';
import { readLimited } from '../files/read-file';

/** A bundle of all public roots has a quarter of a megabyte. */
const LIMIT = 4 * 1024 * 1024;

/** Node 22.15 and later have it; the types are Node 20's. */
const { getCACertificates } = tls as { getCACertificates?: (type: 'default' | 'system') => string[] };

/** PEM texts: Node's own roots with NODE_EXTRA_CA_CERTS, and the file's. @throws GwtokenError `usage` for the file */
export async function rootsWith(caFile: string, env: Env): Promise<string[]> {
  return [...nodeRoots(env), await readCaFile(caFile)];
}

/** What Node would use if nothing were given. */
export function nodeRoots(env: Env): string[] {
  if (getCACertificates) return getCACertificates('default');
  const extra = env['NODE_EXTRA_CA_CERTS'];
  return [...tls.rootCertificates, ...(extra ? readIfThere(extra) : [])];
}

/** The computer's own roots, and where they came from; undefined where gwtoken cannot read them. */
export function systemRoots(
  env: Env,
  platform: NodeJS.Platform,
): { readonly roots: string[]; readonly from: string } | undefined {
  const roots = getCACertificates?.('system') ?? [];
  if (roots.length > 0) return { roots, from: "the system's store" };
  const bundles = platform === 'linux' ? LINUX_BUNDLES : [];
  for (const path of [env['SSL_CERT_FILE'], ...bundles]) {
    const found = path ? readIfThere(path) : [];
    if (path && found.length > 0) return { roots: found, from: path };
  }
  return undefined;
}

/** Where the distributions keep theirs: Debian and Alpine, Fedora, openSUSE, RHEL 7, and OpenSSL's own place. */
const LINUX_BUNDLES = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
  '/etc/ssl/cert.pem',
];

function readIfThere(path: string): string[] {
  try {
    const text = Buffer.from(readLimited(path, LIMIT)).toString('utf8');
    return PEM.test(text) ? [text] : [];
  } catch {
    return [];
  }
}

const PEM = /-----BEGIN ((?:X509 |TRUSTED )?CERTIFICATE)-----[\s\S]+?-----END \1-----/;

/** Node passes over what it cannot read in `ca` without a word, so each certificate is looked at here. */
export async function readCaFile(path: string): Promise<string> {
  const fail = (problem: string, ...hints: string[]): GwtokenError =>
    new GwtokenError('usage', `the CA file ${path} ${problem}`, {
      hints: [...hints, 'name a PEM file with --ca-file, GWTOKEN_CA_FILE or the config key ca-file'],
    });
  let text: string;
  try {
    text = Buffer.from(readLimited(path, LIMIT)).toString('utf8');
  } catch (error) {
    const code = systemCode(error);
    throw fail(code === 'EFBIG' ? 'is larger than 4 MiB' : `cannot be read (${code ?? messageOf(error)})`);
  }
  const certificates = [...text.matchAll(new RegExp(PEM, 'g'))].map(([pem]) => pem);
  if (certificates.length === 0) {
    const isDer = text.startsWith('0\ufffd');
    const convert = `it looks like DER: openssl x509 -inform der -in ${shellWord(path)} -out ${shellWord(`${path}.pem`)}`;
    throw fail('has no PEM certificate in it', ...(isDer ? [convert] : []));
  }
  for (const [index, pem] of certificates.entries()) {
    try {
      new X509Certificate(pem);
    } catch {
      throw fail(`has a certificate that cannot be read (number ${index + 1} of ${certificates.length})`);
    }
  }
  return certificates.join('\n');
}
