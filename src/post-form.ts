/** Posts a form to a URL. It is called like the standard `fetch`. */
export type PostForm = (url: string, init: PostOptions) => Promise<FormReply>;

export interface PostOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Limit on connection, request and reply together. After it the call rejects with `timed-out`. */
  readonly timeoutMs: number;
  /** The longest body of a reply. A longer one is returned as `too-long`. */
  readonly maxBytes: number;
  readonly signal: AbortSignal | undefined;
  /** PEM file with extra CA certificates. */
  readonly caFile: string | undefined;
  /** Receives each decision of the connection: which proxy, address and certificate. */
  trace(line: string): void;
}

export interface FormReply {
  readonly status: number;
  /** Returns the value of a header, whose name is in lower case; several values are joined by commas. */
  readonly headers: { get(name: string): string | null };
  readonly body: Uint8Array | 'too-long';
}
