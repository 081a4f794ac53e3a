/** CA certificates beyond the built-in ones, which are passed along: `ca` replaces Node's own. */
import { X509Certificate } from 'node:crypto';
import * as tls from 'node:tls';
import { GwtokenError, messageOf, orUndefined, systemCode } from '../../errors';
import type { Env } from '../../world';
import { readLimited } from '../files/read-file';

/** The largest file that is read, in bytes: a bundle of all public CAs is a quarter of a megabyte. */
const LIMIT = 4 * 1024 * 1024;

/** A function of Node 22.15 and later, which the types of Node 20 do not have. */
const { getCACertificates } = tls as { getCACertificates?: (type: 'default' | 'system') => string[] };

/** Returns the CAs that Node uses by default. */
export function nodeRoots(env: Env): string[] {
  if (getCACertificates) return getCACertificates('default');
  const extra = env['NODE_EXTRA_CA_CERTS'];
  return [...tls.rootCertificates, ...(extra ? readIfThere(extra) : [])];
}

/** Returns the system's CAs and the place they come from; undefined if gwtoken cannot read them. */
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

/** The bundles of Debian and Alpine, Fedora, openSUSE and RHEL 7, and OpenSSL's default. */
const LINUX_BUNDLES = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
  '/etc/ssl/cert.pem',
];

function readIfThere(path: string): string[] {
  const text = orUndefined(() => Buffer.from(readLimited(path, LIMIT)).toString('utf8')) ?? '';
  return PEM.test(text) ? [text] : [];
}

const PEM = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/;

/**
 * Reads a CA file and checks each certificate: Node silently ignores those in `ca` that it cannot parse.
 *
 * @throws GwtokenError `usage` with the reason `ca-file`
 */
export function readCaFile(path: string): string {
  const unusable = (message: string): GwtokenError =>
    new GwtokenError('usage', message, {
      reason: 'ca-file',
      hints: ['pass a PEM file with --ca-file, GWTOKEN_CA_FILE or the config key ca-file'],
    });
  let text: string;
  try {
    text = Buffer.from(readLimited(path, LIMIT)).toString('utf8');
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT') throw unusable(`no such CA file: ${path}`);
    const why = code === 'EFBIG' ? 'is larger than 4 MiB' : `cannot be read (${code ?? messageOf(error)})`;
    throw unusable(`the CA file ${path} ${why}`);
  }
  const certificates = text.match(new RegExp(PEM, 'g')) ?? [];
  if (certificates.length === 0) throw unusable(`the CA file ${path} contains no PEM certificate`);
  const isInvalid = (pem: string): boolean => orUndefined(() => new X509Certificate(pem)) === undefined;
  if (certificates.some(isInvalid)) throw unusable(`the CA file ${path} contains an invalid certificate`);
  return certificates.join('\n');
}
