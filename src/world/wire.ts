export interface ConnectionOptions {
  /** PEM file of further certificate authorities. */
  readonly caFile?: string | undefined;
  /** Told what is decided on the way: which proxy and why, which address. */
  readonly trace?: ((line: string) => void) | undefined;
}

/** The part of the standard `fetch` that is needed here. No redirect is followed. */
export type Fetch = (
  url: string,
  init: ConnectionOptions & {
    readonly method: 'POST';
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
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
  readonly body: AsyncIterable<Uint8Array> | null;
  /** Who was talked to, for the trace: `127.0.0.1:443`, or the proxy. */
  readonly address?: string | undefined;
}
