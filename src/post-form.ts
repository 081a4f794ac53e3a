/** Posting a form: the request, its reply, and the progress that the connection reports. */

/** Posts a form to a URL. It is called like the standard `fetch`. */
export type PostForm = (url: string, init: PostOptions) => Promise<FormReply>;

export interface PostOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Limit on connection, request and reply together. After it the call rejects with `time-limit`. */
  readonly timeoutMs: number;
  /** The longest body of a reply. A longer one is returned as `too-long`. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** PEM file with extra CA certificates. */
  readonly caFile?: string | undefined;
  /** Receives each decision of the connection: which proxy and why, which address. */
  readonly trace?: ((line: string) => void) | undefined;
  /** Receives facts about the connection when they become known. Later facts replace earlier ones. */
  readonly onProgress?: ((facts: Partial<ConnectionProgress>) => void) | undefined;
}

export interface FormReply {
  readonly status: number;
  /** Returns the value of a header, whose name is in lower case; several values are joined by commas. */
  readonly headers: { get(name: string): string | null };
  readonly body: Uint8Array | 'too-long';
}

/** The other end of a connection. */
export type Peer = 'endpoint' | 'proxy';

/** Facts about a connection that is under way or has failed. */
export interface ConnectionProgress {
  /** The peer of the current step. */
  peer: Peer;
  /**
   * The current step, or the step that failed. `certificate` means that the peer's certificate was rejected,
   * `tunnel` that the proxy has to open one.
   */
  waitingFor: 'lookup' | 'connect' | 'handshake' | 'certificate' | 'tunnel' | 'reply' | 'body';
  /** The proxy's host and port. */
  proxy?: string;
  /** Addresses of the proxy if the connection uses one, otherwise of the endpoint. */
  addresses?: readonly string[];
  /** The variables whose CAs were tried instead of the system's. */
  insteadOfSystem?: readonly string[] | undefined;
  /** Absent if no known CA has issued the certificate. */
  tls?: TlsFacts;
}

/** Facts about a certificate of the endpoint that a known CA has issued. */
export interface TlsFacts {
  /** Common name of the certificate's subject, or its organization if it has no common name. */
  readonly subject: string;
  /** Common name or organization of the certificate's issuer. */
  readonly issuer: string;
  readonly validToMs: number;
  /** Source of the CAs beyond the built-in ones. */
  readonly trustedBy: string | undefined;
}
