/** The causes of errors, and the facts from which hints/ makes the next steps. */
import type { Client } from './client';

/** The next steps to type or do, best first. */
export type Hints = readonly string[];

/**
 * Why an error happened. Most causes are just hints. A reason has a row of hints in hints/, because they
 * depend on the client, the settings or the platform, or because other code asks for the reason. Replies and
 * the keychain's errors always have a reason.
 */
export type Cause = Hints | ReasonWithFacts;

/** A reason, with the facts that its hints name. A fact is never a secret. */
export type ReasonWithFacts =
  | { readonly reason: 'no-client' | 'no-region' | 'nothing-stored' | 'none-selected' }
  | { readonly reason: 'no-auth-url' | 'no-api-url' | 'bad-item' | 'not-removed'; readonly client: Client }
  | { readonly reason: 'no-credentials' | 'not-returned' }
  | OtherUrl
  /** No reply came: within the time limit, or because a connection without a proxy failed. */
  | { readonly reason: 'time-limit' | 'unreachable'; readonly hints: Hints }
  /** `variable` has the address of a session bus that is not of the user's session. */
  | { readonly reason: 'no-session'; readonly variable?: string }
  | NoHome
  | { readonly reason: PlainReason };

export type Reason = ReasonWithFacts['reason'];

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

export interface SettingSource {
  readonly kind: 'flag' | 'variable' | 'config' | 'stored' | 'default';
  /** Name in messages: `--region`, `GWTOKEN_REGION`, `region in ~/.config/gwtoken/config.json`. */
  readonly name: string;
  /** Key in the config file, and the profile that has it, if it is not a general one. */
  readonly key?: string;
  readonly profile?: string | undefined;
}

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

/** Facts that callers add to an error on its way up: the client that it is about, and what to do. */
export interface Subject {
  readonly client?: Client;
  readonly authUrl?: GivenUrl | undefined;
  /** Source of the credentials: `prompt` if a person typed them at a login, absent if a script gave them. */
  readonly source?: { readonly kind: string; readonly name: string };
  /** Mistakes that are visible in refused credentials. */
  readonly mistakes?: readonly string[];
  /** True if the stored clients are listed above the hints. */
  readonly isListed?: boolean;
  /** True if another process was refused, and the endpoint was not asked again. */
  readonly isRepeated?: boolean;
  /** The command's own step. It is always shown, after at most one other. */
  readonly lastStep?: string | undefined;
}

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

export type KeychainReason =
  | 'module-missing'
  | 'library-missing'
  | 'not-loadable'
  | 'no-session'
  | 'no-provider'
  | 'no-collection'
  | 'locked'
  | 'denied'
  | 'sandboxed'
  | 'timed-out'
  | 'crashed'
  | 'key-mismatch'
  | 'failed';
