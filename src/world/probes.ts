import type { Distrust } from './files';

/** What `doctor` looks at. Nothing here rejects or throws: what is the matter is the answer. */
export interface Probes {
  /** `Node v20.20.2 on linux x64`. */
  system(): string;
  folder(which: 'config' | 'cache'): Promise<FolderFacts>;
  /**
   * Goes the way to an address step by step, and asks for its headers (HEAD) without credentials. Each step takes
   * `timeoutMs` at most.
   */
  endpoint(
    url: string,
    options: { readonly timeoutMs: number; readonly caFile: string | undefined },
  ): Promise<EndpointFacts>;
}

export interface FolderFacts {
  /** Undefined when there is no home folder to have it in. */
  readonly path: string | undefined;
  readonly exists: boolean;
  /** Whether files can be made in it, or it can be made where it does not exist. */
  readonly writable: boolean;
  /** Why the config in it is refused, or the cache in it not used. */
  readonly untrusted: Distrust | undefined;
  /** The permission bits; undefined on Windows. */
  readonly mode: number | undefined;
}

/** What was learned of each step until one failed; the steps after that are undefined. */
export interface EndpointFacts {
  /** The proxy's host and port, without the credentials that its variable may hold; undefined for the direct way. */
  readonly proxy: string | undefined;
  /** Of the proxy, if there is one. */
  readonly addresses: readonly string[] | undefined;
  readonly connectMs: number | undefined;
  readonly tls: TlsFacts | undefined;
  readonly reply:
    | { readonly status: number; readonly ms: number; readonly skewMs: number | undefined }
    | undefined;
  readonly failure: EndpointFailure | undefined;
}

export interface TlsFacts {
  readonly protocol: string;
  /** Who the certificate is for and by whom: common name, else organization. */
  readonly subject: string;
  readonly issuer: string;
  readonly validToMs: number;
  /** Where the authorities came from that it took beyond Node's own. */
  readonly trustedBy: string | undefined;
}

export interface EndpointFailure {
  readonly step: 'proxy' | 'DNS' | 'TCP' | 'TLS' | 'reply';
  /** Such as ENOTFOUND, CERT_HAS_EXPIRED. */
  readonly code: string | undefined;
  readonly message: string;
}
