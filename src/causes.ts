/** The causes of errors. The next steps for each are in hints.ts. */

/** Error codes of RFC 6749 section 5.2, for a request that the endpoint refused. */
export const OAUTH_ERRORS = [
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
] as const;

export type OAuthError = (typeof OAUTH_ERRORS)[number];

/** Why an error happened: its reason, with the facts that its hints name. A fact is never a secret. */
export type Cause =
  // Settings, flags and formats
  | { readonly reason: 'bad-value'; readonly allowed: string }
  | { readonly reason: 'not-a-url'; readonly example: string; readonly meant?: string }
  | { readonly reason: 'url-query'; readonly example: string }
  | { readonly reason: 'url-unencrypted'; readonly secure: string }
  | { readonly reason: 'url-placeholder' | 'url-user' }
  | { readonly reason: 'flags-conflict' | 'no-unset-format' }
  /** The value does not fit the format; `instead` is a command line, or empty. */
  | { readonly reason: 'unfit-format'; readonly instead: string }
  // The connection; `setting` is the one with the address
  | ({ readonly reason: ConnectionReason | 'time-limit' } & Address)
  | {
      readonly reason: CertificateReason;
      readonly setting: string;
      readonly caFile: string | undefined;
      /** The variables whose CAs were tried instead of the system's. */
      readonly insteadOfSystem: readonly string[];
    }
  | { readonly reason: 'not-a-proxy'; readonly setting: string }
  | { readonly reason: 'bad-proxy-url'; readonly setting: string }
  | { readonly reason: 'proxy-password'; readonly setting: string; readonly example: string }
  /** `target` is the endpoint's host and port. */
  | { readonly reason: 'proxy-refusal' | 'proxy-failure'; readonly target: string }
  | { readonly reason: 'proxy-password-wrong' | 'bad-http' | 'no-webassembly' }
  | { readonly reason: 'no-reply'; readonly mayWantCertificate: boolean }
  // The keychain
  /** `isForeign` if the address of the session bus is not of the user's session. */
  | { readonly reason: 'no-session'; readonly isForeign?: boolean }
  | { readonly reason: 'timed-out'; readonly limitMs?: number }
  // The credential command
  | { readonly reason: 'command-failed'; readonly profile: string }
  | { readonly reason: 'command-output' }
  // Files, streams and programs
  | { readonly reason: 'no-runner-file'; readonly variable: string }
  | { readonly reason: 'not-appendable' | 'not-a-file' | 'not-writable' | 'mounted-file' | 'relative-path' }
  | { readonly reason: 'stdout-failed' | 'lock-held' }
  | { readonly reason: 'system-limit'; readonly isMemory: boolean }
  | { readonly reason: 'command-not-found'; readonly shell: string }
  | { readonly reason: 'curl-not-found' }
  | { readonly reason: PlainReason };

export type Reason = Cause['reason'];

/** Reasons without facts. */
type PlainReason =
  | OAuthError
  | ReplyReason
  | Exclude<KeychainReason, 'no-session' | 'timed-out'>
  | SystemCode
  | LocalReason;

type LocalReason =
  | 'no-region'
  | 'no-client'
  | 'no-auth-url'
  /** The keychain returned no item for a stored client. */
  | 'not-returned'
  /** The file of `--ca-file` cannot be used. */
  | 'ca-file';

/** Reason to reject a reply, beside the error codes of section 5.2. */
type ReplyReason =
  /** A 401 with an unknown `error`, or with `unauthorized_client`, which means a wrong secret in Keycloak. */
  | 'unauthorized'
  /** A 401 without an `error`. */
  | 'no-oauth-error'
  /** A reply with another status than 401 and an unknown error. */
  | 'unknown-error'
  /** A 403 without an error. */
  | 'forbidden'
  /** A token whose lifetime is 0. */
  | 'just-expired';

/** Reason why the keychain did not do what was asked. */
export type KeychainReason =
  | 'module-missing'
  | 'library-missing'
  | 'not-loadable'
  | 'no-session'
  | 'no-provider'
  | 'no-collection'
  | 'locked'
  | 'denied'
  | 'timed-out'
  | 'crashed'
  | 'key-mismatch'
  | 'failed';

interface Address {
  readonly setting: string;
  /** A variable with a proxy that gwtoken does not use. */
  readonly unusedProxy?: string | undefined;
}

/** Reason why no connection was made. */
export type ConnectionReason =
  | 'host-not-found'
  | 'network'
  | 'connection-refused'
  | 'connection-closed'
  | 'no-tls'
  | 'no-http-1'
  | 'no-cipher'
  | 'no-cipher-of-executable'
  | 'handshake-failed';

/** Reason why a certificate was rejected: `certificate` if it is none of the others. */
export type CertificateReason =
  | 'certificate-time'
  | 'certificate-name'
  | 'self-signed'
  | 'unknown-ca'
  | 'certificate';

/** Error code of the system, Node, OpenSSL or undici, always in capitals: `ECONNREFUSED`. */
export type SystemCode = Uppercase<string>;
