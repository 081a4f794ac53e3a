import { type Authority, makeAuthority } from '../../harness/endpoints/authority';
import { type FaultServer, type Script, startFaultServer } from '../../harness/endpoints/fault-server';
import { openHome } from '../../harness/homes/home';
import type { Reason } from '../../harness/needs';

/** What gwtoken is told, and who could have heard from it. */
export interface Scene {
  readonly authUrl: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** Whose requests are counted; none where there is nobody. */
  readonly endpoint?: FaultServer;
  /** Those that must never see the secret: a redirect's target, a proxy. */
  readonly strangers?: readonly FaultServer[];
  /** More to check at the end, when gwtoken has gone. Throws. */
  check?(): void;
}

export interface Expectation {
  readonly code: number;
  /** In stderr; on success nothing may be there unless this says so. */
  readonly says?: RegExp;
  /** Complete requests that the endpoint received. */
  readonly requests: number;
  /** In stdout, with its LF. */
  readonly token?: string;
}

export interface WireCase extends Expectation {
  readonly name: string;
  /** What it opens is closed when gwtoken has gone. */
  set(authority: Authority): Promise<Scene> | Scene;
  /** Ends only with the timeout: it gets one attempt of 4 s. */
  readonly waits?: boolean;
  /** Why it cannot run here. */
  readonly needs?: Reason;
  /** What the endpoint does, if it follows a script. */
  readonly script?: Script;
}

export const TOKEN = 'canary-token.AZaz09-_~+/=';
/** Escapes differ between the forms that it may come back in: form, percent, JSON. */
export const SECRET = 'canary-"secret"+/=& ü%41\\';

export const GOOD = { access_token: TOKEN, token_type: 'Bearer', expires_in: 3600 };

/** The requests that name another host than the one that they are for (RFC 9112 section 3.2). */
export function withOtherHost({ authUrl, endpoint, strangers = [] }: Scene): readonly string[] {
  return [endpoint, ...strangers]
    .flatMap((server) => server?.requests ?? [])
    .filter((request) => {
      const [, target = new URL(authUrl).host] = /^CONNECT (\S+) /.exec(request) ?? [];
      return /^host: (.*)\r$/im.exec(request)?.[1] !== target;
    });
}

/** A whole reply with the right length. */
export function reply(
  status: number,
  body: unknown = GOOD,
  headers: Readonly<Record<string, string>> = {},
): Buffer {
  const bytes = Buffer.isBuffer(body)
    ? body
    : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const all = { 'Content-Type': 'application/json', 'Content-Length': String(bytes.length), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} Status\r\n${lines.join('')}\r\n`), bytes]);
}

/** A case of an http: endpoint that follows a script. */
export function scripted(name: string, script: Script, expected: Omit<WireCase, 'name' | 'set'>): WireCase {
  return {
    name,
    ...expected,
    script,
    async set() {
      const endpoint = await startFaultServer(script);
      return { authUrl: endpoint.url, endpoint };
    },
  };
}

/** A case of an endpoint that answers each request with the same bytes. */
export function replies(
  name: string,
  answer: Buffer,
  expected: Omit<WireCase, 'name' | 'set' | 'script'>,
): WireCase {
  return scripted(name, { answer: (socket) => void socket.write(answer) }, expected);
}

/** The token arrives at the first request. */
export const FETCHED = { code: 0, requests: 1, token: TOKEN } as const;

/** A reply that is no token; `requests` is 1, or 3 where it is worth retries. */
export function bad(says: RegExp, requests = 1): Expectation {
  return { code: 7, says, requests };
}

/** An authority, and a home with a client in variables, for the tests of a file. */
export function setScene() {
  const authority = makeAuthority();
  const env = { GWTOKEN_REGION: 'eu', GWTOKEN_CLIENT_ID: 'a', GWTOKEN_CLIENT_SECRET: SECRET };
  return { authority, home: openHome(env) };
}
