import { type Authority, makeAuthority } from '../../harness/endpoints/authority';
import { type FaultServer, type Script, startFaultServer } from '../../harness/endpoints/fault-server';
import { openHome } from '../../harness/homes/home';
import type { Reason } from '../../harness/needs';

/** The input of one run of gwtoken, and the servers that it could contact. */
export interface Scene {
  readonly authUrl: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** Counts the requests; absent if nothing listens at the auth URL. */
  readonly endpoint?: FaultServer;
  /** Servers that must never receive the secret: a redirect's target, a proxy. */
  readonly strangers?: readonly FaultServer[];
  /** Checks more after gwtoken has ended. Throws. */
  check?(): void;
}

/** The expected end of a run. */
export interface Expectation {
  readonly code: number;
  /** Matches stderr; absent if stderr must be empty. */
  readonly says?: RegExp;
  /** Complete requests that the endpoint received. */
  readonly requests: number;
  /** The only line of stdout; absent if stdout must be empty. */
  readonly token?: string;
}

/** A fault, or a connection that works, with the end of a run that meets it. */
export interface WireCase extends Expectation {
  readonly name: string;
  /** Starts the servers. The end of the test closes them. */
  setUp(authority: Authority): Promise<Scene> | Scene;
  /** True if only the timeout ends the run, which then has one attempt. */
  readonly waits?: boolean;
  /** True if the case runs the program in both forms in `npm test`. The package's other cases run in-process. */
  readonly isQuick?: boolean;
  /** The reason to skip the case on this machine. */
  readonly needs?: Reason;
}

export type Expected = Omit<WireCase, 'name' | 'setUp'>;

export const TOKEN = 'canary-token.AZaz09-_~+/=';
/** Has characters that a form, a URL and JSON escape in different ways. */
export const SECRET = 'canary-"secret"+/=& ü%41\\';

export const GOOD = { access_token: TOKEN, token_type: 'Bearer', expires_in: 3600 };

/** Returns the requests whose Host header is not their target (RFC 9112 section 3.2). */
export function withOtherHost({ authUrl, endpoint, strangers = [] }: Scene): readonly string[] {
  return [endpoint, ...strangers]
    .flatMap((server) => server?.requests ?? [])
    .filter((request) => {
      const [, target = new URL(authUrl).host] = /^CONNECT (\S+) /.exec(request) ?? [];
      return /^host: (.*)\r$/im.exec(request)?.[1] !== target;
    });
}

/** Returns a complete reply with the right Content-Length. */
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

/** A script that answers each request with a token. */
export const SENDS_TOKEN: Script = { answer: (socket) => void socket.write(reply(200)) };

/** Returns the case of an http: endpoint that follows a script, with that script. */
export function scripted(
  name: string,
  script: Script,
  expected: Expected,
): WireCase & { readonly script: Script } {
  return {
    name,
    ...expected,
    script,
    async setUp() {
      const endpoint = await startFaultServer(script);
      return { authUrl: endpoint.url, endpoint };
    },
  };
}

/** Returns the case of an http: endpoint that answers each request with the same bytes. */
export function replies(name: string, answer: Buffer, expected: Expected): WireCase {
  return scripted(name, { answer: (socket) => void socket.write(answer) }, expected);
}

/** Expects the token of the first request. */
export const FETCHED = { code: 0, requests: 1, token: TOKEN } as const;

/** Expects the error for a reply without a token; `requests` is 3 if gwtoken retries it. */
export function bad(says: RegExp, requests = 1): Expectation {
  return { code: 7, says, requests };
}

/** Makes a CA, and a home with a client in variables, for the tests of a file. */
export function authorityAndHome() {
  const authority = makeAuthority();
  const env = { GWTOKEN_REGION: 'eu', GWTOKEN_CLIENT_ID: 'a', GWTOKEN_CLIENT_SECRET: SECRET };
  return { authority, home: openHome(env) };
}
