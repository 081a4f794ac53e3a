/** Trusted certificates. Loaded only for https:, because Node's TLS takes long to load. */
import { X509Certificate } from 'node:crypto';
import * as tls from 'node:tls';
import type { buildConnector } from 'undici';
import { type GwtokenError, orUndefined, usage } from '../../errors';
import { systemCode, wordsFor } from '../../system-errors';
import { cleaned } from '../../text';
import type { Env } from '../../world';
import { readRegular } from '../files/read-file';

/** The trusted CAs as PEM texts (absent: only Node's own), and the source of those beyond Node's own. */
export interface Trust {
  readonly ca?: string[];
  readonly from?: string;
}

/** Returns the options of TLS. @param trace receives a line about each certificate of a trusted CA */
export function tlsOptions({ ca, from }: Trust, trace: (line: string) => void): buildConnector.BuildOptions {
  return {
    // Explicit, so that no variable can turn it off.
    rejectUnauthorized: true,
    checkServerIdentity(name, certificate) {
      trace(`${describe(certificate)}${from === undefined ? '' : `, trusted by ${from}`}`);
      // Ignores the CN, to which name constraints of a CA do not apply.
      return tls.checkServerIdentity(name, { ...certificate, subject: { ...certificate.subject, CN: '' } });
    },
    // As in curl, an intermediate CA or the certificate itself is enough, without its root.
    ...(ca === undefined ? {} : { ca, allowPartialTrustChain: true }),
  };
}

function describe({ subject, issuer, valid_to }: tls.PeerCertificate): string {
  const name = (holder: typeof subject | undefined): string =>
    cleaned([holder?.CN ?? holder?.O ?? 'no name'].flat().join(', '));
  return `certificate of ${name(subject)} by ${name(issuer)}, valid until ${valid_to}`;
}

/** The bundles of Debian and Alpine, Fedora, openSUSE, and OpenSSL's default. */
const LINUX_BUNDLES = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
];
const STORE = "the system's store";
const PEM = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** A function of Node 22.15 and later, which the types of Node 20 do not have. */
const { getCACertificates } = tls as { getCACertificates?: (type: 'default' | 'system') => string[] };

const systemStore = (): readonly string[] => getCACertificates?.('system') ?? [];

/**
 * Returns Node's CAs and those of a file. Checks each one, because Node silently ignores invalid ones. Throws
 * `usage` with the reason `ca-file`.
 */
export function trustFile(path: string, env: Env): Trust {
  const unusable = (message: string): GwtokenError =>
    usage(message, ['pass a PEM file with --ca-file'], 'ca-file');
  let text: string;
  try {
    text = readText(path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') throw unusable(`no such CA file: ${path}`);
    throw unusable(`the CA file ${path} cannot be read: ${wordsFor(error)}`);
  }
  const certificates = text.match(PEM) ?? [];
  if (certificates.length === 0) throw unusable(`the CA file ${path} contains no PEM certificate`);
  if (!certificates.every((pem) => orUndefined(() => new X509Certificate(pem))))
    throw unusable(`the CA file ${path} contains an invalid certificate`);
  return { ca: [...nodeRoots(env), certificates.join('\n')], from: path };
}

/**
 * Returns the same CAs with the system's: those of SSL_CERT_FILE, or else of the system's store or a bundle.
 * Undefined if gwtoken cannot read any.
 */
export function trustSystem(
  { ca }: Trust,
  env: Env,
  platform: NodeJS.Platform,
  store = systemStore,
): Trust | undefined {
  const bundles = platform === 'linux' ? LINUX_BUNDLES : [];
  for (const from of [env['SSL_CERT_FILE'] ?? '', STORE, ...bundles]) {
    const roots = from === STORE ? store() : readIfThere(from);
    if (roots.length > 0) return { ca: [...(ca ?? nodeRoots(env)), ...roots], from };
  }
  return undefined;
}

function nodeRoots(env: Env): readonly string[] {
  if (getCACertificates) return getCACertificates('default');
  return [...tls.rootCertificates, ...readIfThere(env['NODE_EXTRA_CA_CERTS'] ?? '')];
}

function readIfThere(path: string): readonly string[] {
  const text = orUndefined(() => readText(path)) ?? '';
  return text.match(PEM) ? [text] : [];
}

/** Reads 4 MiB at most: a bundle of all public CAs is a quarter of a megabyte. */
function readText(path: string): string {
  return readRegular(path, 4 * 1024 * 1024).bytes.toString();
}
