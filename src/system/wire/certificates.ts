/** Trusted certificates. Loaded only for https:, because Node's TLS takes long to load. */
import { X509Certificate } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
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
  /** The variables whose CAs are used instead of the system's, if they are. */
  readonly insteadOfSystem?: readonly string[];
}

/** Returns the options of TLS. @param trace receives a line about each certificate of a trusted CA */
export function tlsOptions(
  { ca, from }: Trust,
  trace: (line: string) => void = () => {},
): buildConnector.BuildOptions {
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

/** Returns the subject, the issuer and the end of a certificate, for a trace. */
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
/** The variables of a PEM file and of directories with PEM files. */
const VARIABLES = ['SSL_CERT_FILE', 'SSL_CERT_DIR'];
const PEM = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** A function of Node 22.15 and later, which the types of Node 20 do not have. */
const { getCACertificates } = tls as { getCACertificates?: (type: 'default' | 'system') => string[] };

/** Returns the CAs of the system's store. */
const systemStore = (): readonly string[] => getCACertificates?.('system') ?? [];

/**
 * Returns Node's CAs and those of a file. Checks each one, because Node silently ignores invalid ones.
 *
 * @throws GwtokenError `usage` with the reason `ca-file`
 */
export function trustFile(path: string, env: Env): Trust {
  const unusable = (message: string): GwtokenError => usage(message, { reason: 'ca-file' });
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
 * Returns the same CAs with the system's: those of SSL_CERT_FILE and SSL_CERT_DIR, or else of the system's
 * store. Undefined if gwtoken cannot read any.
 */
export function trustSystem(
  trust: Trust,
  env: Env,
  platform: NodeJS.Platform,
  store = systemStore,
): Trust | undefined {
  const { ca = nodeRoots(env) } = trust;
  const [file = '', directories = ''] = VARIABLES.map((name) => env[name]);
  const bundles = platform === 'linux' ? LINUX_BUNDLES : [];
  // The first of these groups with a CA is used.
  const own = [file, ...directories.split(delimiter)].filter(Boolean);
  const groups = [own, [STORE], ...bundles.map((path) => [path])];
  for (const places of groups) {
    const found = places
      .map((from) => ({ from, roots: rootsAt(from, store) }))
      .filter(({ roots }) => roots.length > 0);
    if (found.length === 0) continue;
    return {
      ca: [...ca, ...found.flatMap(({ roots }) => roots)],
      from: found.map((each) => each.from).join(' and '),
      insteadOfSystem: places === own ? VARIABLES.filter((name) => env[name]) : [],
    };
  }
  return undefined;
}

/** Returns the CAs of the store, of a PEM file, or of the PEM files in a directory. */
function rootsAt(place: string, store: typeof systemStore): readonly string[] {
  if (place === STORE) return store();
  const names = orUndefined(() => readdirSync(place));
  // c_rehash puts each file into a directory twice: by its name, and as a link.
  return names ? [...new Set(names.flatMap((name) => readIfThere(join(place, name))))] : readIfThere(place);
}

/** Returns the CAs that Node uses by default. */
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
