/** What is wrong with a certificate, and what to do about it. */
import { GwtokenError, messageOf } from '../../errors';
import type { Progress } from './connection';

/** The sentence for a certificate that was refused, on either side; undefined for anything else. */
export function certificateProblem(
  error: unknown,
  code: string | undefined,
  progress: Progress,
): GwtokenError | undefined {
  const known = code === undefined ? undefined : (PROBLEMS[code] ?? clientCertificate(code));
  if (code === undefined || !known) return undefined;
  const { problem, hints } = known(error, progress);
  return new GwtokenError('unreached', `${progress.peer} was not trusted: ${problem}`, {
    hints,
    reason: 'certificate',
    cause: error,
    detail: `${code}: ${messageOf(error)}`,
  });
}

type Problem = (error: unknown, progress: Progress) => { problem: string; hints: string[] };

const unknownAuthority: Problem = (_, { systemRoots }) => ({
  problem: `its certificate is from an authority unknown to Node${systemRoots === undefined ? '' : ' and to the system'}`,
  hints: [
    "if a company's proxy or own authority signs it, name that authority's PEM file with --ca-file or GWTOKEN_CA_FILE",
  ],
});

const PROBLEMS: Readonly<Record<string, Problem>> = {
  CERT_HAS_EXPIRED: () => ({
    problem: 'its certificate has expired',
    hints: ["check this machine's clock; if it is right, the operators have to renew the certificate"],
  }),
  CERT_NOT_YET_VALID: () => ({
    problem: 'its certificate is not valid yet',
    hints: ["check this machine's clock; if it is right, ask the operators"],
  }),
  DEPTH_ZERO_SELF_SIGNED_CERT: () => ({
    problem: 'its certificate is self-signed',
    hints: [
      'if it is the right one, get it from the operators and name the file with --ca-file or GWTOKEN_CA_FILE',
    ],
  }),
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  CERT_UNTRUSTED: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: (error, progress) => {
    const { problem, hints } = unknownAuthority(error, progress);
    return {
      problem,
      hints: [
        ...hints,
        'if the authority is a public one, the server leaves out its intermediate certificate',
      ],
    };
  },
  ERR_TLS_CERT_ALTNAME_INVALID: (error) => {
    const names = (error as { cert?: { subjectaltname?: string } }).cert?.subjectaltname ?? '';
    const clean = names
      .replace(/[^\x20-\x7e]/g, '?')
      .replaceAll(/\b(DNS|IP Address):/g, '')
      .slice(0, 200);
    return {
      problem: `its certificate is for ${clean === '' ? 'no name at all' : clean}`,
      hints: ['check the host in the auth URL: it must be a name that the certificate has'],
    };
  },
  ...Object.fromEntries(
    [
      'CERT_REVOKED',
      'CERT_REJECTED',
      'CERT_SIGNATURE_FAILURE',
      'CERT_CHAIN_TOO_LONG',
      'INVALID_CA',
      'INVALID_PURPOSE',
      'PATH_LENGTH_EXCEEDED',
      'HOSTNAME_MISMATCH',
      'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY',
      'UNABLE_TO_DECRYPT_CERT_SIGNATURE',
      'ERROR_IN_CERT_NOT_BEFORE_FIELD',
      'ERROR_IN_CERT_NOT_AFTER_FIELD',
      'UNSPECIFIED',
    ].map((code): [string, Problem] => [
      code,
      (error) => ({
        problem: `its certificate cannot be accepted (${messageOf(error)})`,
        hints: ['ask the operators of the endpoint, or of a proxy on the way'],
      }),
    ]),
  ),
};

/** The server's alert when it wants one from us; with TLS 1.3 it comes in place of the reply. */
function clientCertificate(code: string): Problem | undefined {
  if (!/^ERR_SSL_(TLSV13_ALERT_CERTIFICATE_REQUIRED|(SSLV3|TLSV1)_ALERT_BAD_CERTIFICATE)$/.test(code))
    return undefined;
  return () => ({
    problem: 'it wants a certificate of the client, which gwtoken cannot give',
    hints: ['check the auth URL: is this the address for a client id and a secret?'],
  });
}
