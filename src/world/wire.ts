export interface ConnectionOptions {
  /** PEM file of further certificate authorities. */
  readonly caFile?: string | undefined;
  /** Told what is decided on the way: which proxy and why, which address. */
  readonly trace?: ((line: string) => void) | undefined;
}

/**
 * The part of the standard `fetch` that the token request needs. No redirect is followed. When the signal aborts, the
 * connection is cut at once and the promise (or the body) rejects with an `unreached` error of reason `time-limit`,
 * whose message is what was being waited for: `no reply came`.
 */
export type Fetch = (
  url: string,
  init: ConnectionOptions & {
    readonly method: 'POST';
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    readonly signal: AbortSignal;
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
