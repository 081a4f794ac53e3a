/** The causes of errors. The next steps for each are in hints/. */
import type { Client } from './client';

/** Error codes of RFC 6749 section 5.2, for a request that the endpoint refused. */
export const OAUTH_ERRORS = [
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
] as const;

type OAuthError = (typeof OAUTH_ERRORS)[number];

/** Why an error happened: its reason, with the facts that its hints name. A fact is never a secret. */
export type Cause =
  // The command line
  | { readonly reason: 'mistyped'; readonly meant: string }
  | { readonly reason: 'secret-flag'; readonly hasStdin: boolean }
  | { readonly reason: 'comment' | 'dash' | 'no-revoke' | 'no-topic' }
  // Settings, flags and formats
  | { readonly reason: 'bad-value'; readonly allowed: string; readonly source?: SettingSource }
  | { readonly reason: 'unknown-key'; readonly isCredential: boolean; readonly meant?: string | undefined }
  | { readonly reason: 'not-a-url'; readonly example: string; readonly meant?: string }
  | { readonly reason: 'url-query'; readonly example: string }
  | { readonly reason: 'url-unencrypted'; readonly secure: string }
  | { readonly reason: 'url-placeholder' | 'url-user' }
  | { readonly reason: 'flags-conflict' | 'no-unset-format' | 'not-per-profile' }
  | { readonly reason: 'not-set'; readonly key: string; readonly profile: string | undefined }
  /** The value does not fit the format; `instead` is a command line. */
  | { readonly reason: 'unfit-format'; readonly instead?: string | undefined }
  // The selected client and its credentials
  | { readonly reason: 'no-client' | 'no-region' | 'nothing-stored' | 'all-with-client' }
  | { readonly reason: 'no-auth-url' | 'no-api-url' | 'bad-item' | 'not-removed'; readonly client: Client }
  | { readonly reason: 'no-credentials' | 'not-returned' }
  | OtherUrl
  | {
      readonly reason: 'half-pair';
      readonly missing: string;
      readonly present: string;
      readonly isEmpty: boolean;
    }
  | { readonly reason: 'both-secrets' | 'bad-client-id' | 'bad-secret' | 'bad-secret-file' | 'item-too-long' }
  // login, logout and the action
  | { readonly reason: 'stdin-terminal' }
  /** `example` is the login's command line, which reads the secret from stdin. */
  | { readonly reason: 'login-incomplete'; readonly example: string; readonly isUrlMissing: boolean }
  | { readonly reason: 'not-confirmed'; readonly removes: string }
  | { readonly reason: 'empty-input'; readonly inputs: string }
  // Replies of the endpoint; `name` is that of the setting
  | { readonly reason: 'no-lifetime' | 'min-ttl-too-long'; readonly name: string }
  | { readonly reason: 'late-holder' | 'out-of-time' }
  // The connection; `setting` is the one with the address
  | ({ readonly reason: ConnectionReason | 'time-limit' } & Address)
  | {
      readonly reason: CertificateReason;
      readonly setting: string;
      readonly caFile: string | undefined;
      /** The variables whose CAs were tried instead of the system's. */
      readonly insteadOfSystem: readonly string[];
    }
  | { readonly reason: 'not-a-proxy' | 'bad-proxy-url'; readonly setting: string }
  | { readonly reason: 'proxy-password'; readonly setting: string; readonly example: string }
  /** `target` is the endpoint's host and port. */
  | { readonly reason: 'proxy-refusal'; readonly target: string; readonly setting: string }
  | { readonly reason: 'proxy-failure'; readonly target: string }
  | { readonly reason: 'proxy-password-wrong' | 'bad-http' | 'no-webassembly' }
  | { readonly reason: 'no-reply'; readonly mayWantCertificate: boolean; readonly isDirect?: boolean }
  // The keychain
  /** `variable` has the address of a session bus that is not of the user's session. */
  | { readonly reason: 'no-session'; readonly variable?: string }
  // The credential command
  | { readonly reason: 'command-failed'; readonly profile: string }
  | { readonly reason: 'command-output' }
  // Files, streams and programs
  | { readonly reason: 'no-runner-file'; readonly variable: string }
  | { readonly reason: 'not-appendable' | 'not-writable' | 'mounted-file' | 'relative-path' }
  | NoHome
  | Untrusted
  /** `variable` names another directory. */
  | { readonly reason: 'directory-not-writable'; readonly variable: string }
  | { readonly reason: 'bad-file'; readonly path: string }
  | { readonly reason: 'stdout-failed' | 'lock-held' | 'no-free-descriptors' | 'word-not-utf8' }
  /** `name` is absent if the name itself is not UTF-8. */
  | { readonly reason: 'variable-not-utf8'; readonly name?: string | undefined }
  | { readonly reason: 'system-limit'; readonly isMemory: boolean }
  | { readonly reason: 'command-not-found'; readonly shell: string }
  | { readonly reason: 'curl-not-found' }
  // Warnings of doctor and status
  | { readonly reason: 'clock-off' | 'certificate-ending' | 'none-selected' }
  | { readonly reason: PlainReason };

export type Reason = Cause['reason'];

/** Reasons without facts. */
export type PlainReason =
  | OAuthError
  | ReplyReason
  | Exclude<KeychainReason, 'no-session'>
  /** The file of `--ca-file` cannot be used. */
  | 'ca-file';

/** There is no home directory: `home` is the system's variable for it, `variable` gwtoken's. */
export interface NoHome {
  readonly reason: 'no-home';
  readonly home: string;
  readonly variable: string;
}

/** Other users may have written to a file, or may read it. */
export interface Untrusted {
  readonly reason: 'untrusted';
  /** The variable that names another directory. */
  readonly variable: string;
  /** Command line that solves the problem; absent for another owner or a link. */
  readonly chmod?: string | undefined;
}

/** The place that a setting's value comes from. */
export interface SettingSource {
  readonly kind: 'flag' | 'variable' | 'config' | 'stored' | 'default';
  /** Name in messages: `--region`, `GWTOKEN_REGION`, `region in ~/.config/gwtoken/config.json`. */
  readonly name: string;
  /** Key in the config file, and the profile that has it, if it is not a general one. */
  readonly key?: string;
  readonly profile?: string | undefined;
}

/** The auth URL that a setting gives. */
interface GivenUrl {
  readonly value: string;
  /** The value as it was given, perhaps with `{region}`. */
  readonly text: string;
  readonly source: SettingSource;
}

/** Credentials may be sent only to their `own` auth URL. The setting gives another, or neither gives one. */
export interface OtherUrl {
  readonly reason: 'item-for-other-url' | 'command-for-other-url';
  readonly own: string | undefined;
  readonly client: Client;
  readonly setting: GivenUrl | undefined;
}

/** An environment variable that looks like one of gwtoken's, but is neither read nor set by it. */
export interface StrayVariable {
  readonly name: string;
  /** Returns the names or command lines that may be meant, best first. It is too slow for each start. */
  meant(): readonly string[];
}

/** Facts that callers add to an error on its way up: the client that it is about, and what to do. */
export interface Subject {
  readonly client?: Client;
  readonly authUrl?: GivenUrl | undefined;
  /** Source of the credentials: `prompt` if a person typed them at a login, absent if a script gave them. */
  readonly source?: { readonly kind: string; readonly origin: string };
  /** A variable that may explain a missing setting or credential. */
  readonly stray?: StrayVariable | undefined;
  /** Mistakes that are visible in refused credentials. */
  readonly mistakes?: readonly string[];
  /** True if the stored clients are listed above the hints. */
  readonly isListed?: boolean;
  /** True if another process was refused, and the endpoint was not asked again. */
  readonly isRepeated?: boolean;
  /** The command's own step, made by hints/hints.ts. It is always shown, after at most one other. */
  readonly lastStep?: string | undefined;
}

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
  | 'just-expired'
  /** A 404, a 405 or a redirect. */
  | 'wrong-path'
  /** A 429. */
  | 'rate-limited'
  /** Another 5xx, or an error that says so. */
  | 'outage'
  | 'html-page'
  /** The answer of a resource server (RFC 6750) instead of a token endpoint. */
  | 'api-answer'
  /** Any other reply. */
  | 'unusable-reply';

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
  /** True if no proxy was used. */
  readonly isDirect?: boolean;
}

/** Reason why no connection was made. */
export type ConnectionReason =
  | 'host-not-found'
  | 'network'
  | 'connection-refused'
  | 'connection-closed'
  | 'no-tls'
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
