export interface ConnectionOptions {
  /** PEM file of further certificate authorities. */
  readonly caFile?: string | undefined;
  /** Told what is decided on the way: which proxy and why, which address. */
  readonly trace?: ((line: string) => void) | undefined;
  /** Told what is met on the way as soon as it is known; what is told later takes its place. */
  readonly met?: ((facts: Partial<Way>) => void) | undefined;
}

/** The way to an endpoint, as far as it has been gone. */
export interface Way {
  /** What is being waited for; where it failed, if it did. */
  waitingFor: 'route' | 'roots' | 'lookup' | 'connect' | 'tunnel' | 'handshake' | 'reply' | 'body';
  /** The proxy's host and port, without the credentials that its variable may hold; undefined for the direct way. */
  proxy?: string;
  /** Of the proxy, if there is one; so is the time to connect. */
  addresses?: readonly string[];
  connectMs?: number;
  /** Whether the proxy leads to the endpoint. */
  tunnel?: boolean;
  /** Of the endpoint, also where its certificate was refused. */
  tls?: TlsFacts;
}

export interface TlsFacts {
  readonly protocol: string;
  /** Who the certificate is for and by whom: common name, else organization. */
  readonly subject: string;
  readonly issuer: string;
  readonly validToMs: number;
  /** Where the authorities came from that were asked beyond Node's own. */
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
     * the body) rejects with an `unreached` error of reason `time-limit` that says what was being waited for.
     */
    readonly timeoutMs: number;
    /** Aborted, it cuts the connection at once. */
    readonly signal?: AbortSignal | undefined;
  },
) => Promise<FetchReply>;

export interface FetchReply {
  readonly status: number;
  /** The value of a header, the first one if there are several. */
  readonly headers: { get(name: string): string | null };
  /** Null for a HEAD. The connection is kept until it has been read, or left. */
  readonly body: AsyncIterable<Uint8Array> | null;
  /** Who was talked to, for the trace: `127.0.0.1:443`, or the proxy. */
  readonly address?: string | undefined;
}
