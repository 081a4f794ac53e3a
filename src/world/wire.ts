export interface ConnectionOptions {
  /** PEM file with extra CA certificates. */
  readonly caFile?: string | undefined;
  /** Called with decisions on the way: which proxy and why, which address. */
  readonly trace?: ((line: string) => void) | undefined;
  /** Called with facts as soon as they are known; later ones replace earlier ones. */
  readonly met?: ((facts: Partial<Way>) => void) | undefined;
}

/** The connection to an endpoint, as far as it got. */
export interface Way {
  /** What we are waiting for; after a failure, where it failed. */
  waitingFor: 'route' | 'roots' | 'lookup' | 'connect' | 'tunnel' | 'handshake' | 'reply' | 'body';
  /** The proxy's host and port, without the credentials that its variable may contain; undefined without a proxy. */
  proxy?: string;
  /** Of the proxy, if there is one; likewise the time to connect. */
  addresses?: readonly string[];
  connectMs?: number;
  /** Whether the proxy has opened the tunnel. */
  tunnel?: boolean;
  /** Of the endpoint, even if its certificate was rejected. */
  tls?: TlsFacts;
}

export interface TlsFacts {
  readonly protocol: string;
  /** Subject and issuer of the certificate: common name, otherwise organization. */
  readonly subject: string;
  readonly issuer: string;
  readonly validToMs: number;
  /** Where the CAs beyond the built-in ones came from. */
  readonly trustedBy: string | undefined;
}

/** The part of the standard `fetch` that is needed here. No redirect is followed. */
export type Fetch = (
  url: string,
  init: ConnectionOptions & {
    readonly method: 'POST' | 'HEAD';
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
    /**
     * For the connection, the request and the whole reply together. Then the connection is cut, and the promise (or
     * the body) rejects with an `unreached` error with reason `time-limit` that says what we were waiting for.
     */
    readonly timeoutMs: number;
    /** Closes the connection at once when aborted. */
    readonly signal?: AbortSignal | undefined;
  },
) => Promise<FetchReply>;

export interface FetchReply {
  readonly status: number;
  /** The value of a header; the first one if there are several. */
  readonly headers: { get(name: string): string | null };
  /** Null for a HEAD. The connection stays open until the body has been read or abandoned. */
  readonly body: AsyncIterable<Uint8Array> | null;
  /** The peer's address, for the trace: `127.0.0.1:443`, or the proxy. */
  readonly address?: string | undefined;
}
