/** What went wrong on the wire, as one sentence for a person and a kind for a script. Loaded when something did. */
import { GwtokenError, messageOf, systemCode } from '../../errors';
import { seconds } from '../../text';
import { certificateProblem } from './certificate-problems';
import type { Progress } from './connection';

/**
 * Makes the error of contract section 5 from what Node or undici threw.
 *
 * @param lateAfterMs the time limit, if it was what ended the request
 */
export function wireProblem(
  error: unknown,
  url: URL,
  progress: Progress,
  lateAfterMs: number | undefined,
): GwtokenError {
  if (lateAfterMs !== undefined) return late(url, progress, lateAfterMs, error);
  if (error instanceof GwtokenError) return error;
  const code = codeOf(error);
  const more = { reason: code, cause: error, detail: detailOf(error) };

  const certificate = certificateProblem(error, code, progress);
  if (certificate) return certificate;
  const { peer, proxy, waitingFor } = progress;
  if (waitingFor === 'reply' || waitingFor === 'body') {
    const garbled = garbledReply(error, code, waitingFor);
    if (garbled !== undefined) {
      return new GwtokenError('bad-reply', `${url.href} ${garbled}`, {
        ...more,
        hints: ['check that the auth URL is the address of the identity endpoint'],
      });
    }
    return new GwtokenError('unreached', `${url.host} ${broken(waitingFor, code)}`, {
      ...more,
      hints: ['try again; if it stays, ask the operators of the endpoint, or of a proxy on the way'],
    });
  }
  if (code === 'ENOTLOOPBACK') {
    return new GwtokenError('unreached', `${peer} was not reached: localhost is another machine here`, {
      ...more,
      hints: ['write 127.0.0.1 instead: an http: auth URL is for this machine alone'],
    });
  }
  const setting = proxy ? proxy.source : 'the auth URL';
  if (waitingFor === 'tunnel') {
    return new GwtokenError('unreached', `${peer} ${brokenTunnel(error)}`, {
      ...more,
      hints: [`check that ${setting} is the address of an HTTP proxy`],
    });
  }
  const known = (code === undefined ? undefined : PROBLEMS[code]) ?? tlsProblem(code);
  const { problem, hint } = known ?? {
    problem: `the connection failed (${code ?? messageOf(error)})`,
    hint: 'check the network',
  };
  return new GwtokenError('unreached', `${peer} was not reached: ${problem}`, {
    ...more,
    hints: [hint.replace('SETTING', setting)],
  });
}

function late(url: URL, progress: Progress, afterMs: number, cause: unknown): GwtokenError {
  const { waitingFor, peer, proxy } = progress;
  const waited = {
    lookup: `the name of ${peer} was not found in time: DNS does not answer`,
    connect: `no connection to ${peer} came about`,
    tunnel: `${peer} opened no tunnel`,
    handshake: `the TLS handshake with ${peer} did not end`,
    reply: 'no reply came',
    body: 'the reply did not end',
  }[waitingFor];
  const setting = proxy ? `${proxy.source} and the network` : 'the network and the auth URL';
  return new GwtokenError('unreached', `${url.href} did not answer within ${seconds(afterMs)}: ${waited}`, {
    hints: [`check ${setting}, or allow more time with --timeout`],
    reason: 'time-limit',
    cause,
  });
}

/** With several addresses Node throws an AggregateError, with the code of one of them. */
function codeOf(error: unknown): string | undefined {
  return systemCode(error) ?? (error instanceof AggregateError ? systemCode(error.errors[0]) : undefined);
}

function detailOf(error: unknown): string {
  return error instanceof AggregateError ? error.errors.map(messageOf).join('; ') : messageOf(error);
}

/** A reply that is no HTTP, or none to this request: the other side was reached, and a retry would bring the same. */
function garbledReply(
  error: unknown,
  code: string | undefined,
  waitingFor: 'reply' | 'body',
): string | undefined {
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'answered with more headers than are read';
  if (messageOf(error) === 'bad upgrade') return 'answered 101, a change of protocol that nobody asked for';
  // In the headers undici says this for every fault that comes after a Content-Length.
  const isBrokenHead = waitingFor === 'reply' && code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';
  return isBrokenHead || isNoHttp(error) ? 'answered with something other than HTTP' : undefined;
}

/** undici's parser gave up, and not merely because the bytes ended; or it was spoken to before it asked. */
function isNoHttp(error: unknown): boolean {
  const message = messageOf(error);
  if (message === 'bad response') return true;
  return error instanceof Error && error.name === 'HTTPParserError' && !message.includes('EOF');
}

function brokenTunnel(error: unknown): string {
  return isNoHttp(error)
    ? 'answered with something other than HTTP'
    : 'closed the connection and opened no tunnel';
}

function broken(waitingFor: 'reply' | 'body', code: string | undefined): string {
  const how = code === 'ECONNRESET' ? 'reset' : 'closed';
  return waitingFor === 'reply'
    ? `${how} the connection without a reply`
    : `${how} the connection in the middle of its reply`;
}

const PROBLEMS: Readonly<Record<string, { problem: string; hint: string }>> = {
  ENOTFOUND: { problem: 'there is no such name in DNS', hint: 'look for a typing mistake in SETTING' },
  EAI_AGAIN: {
    problem: 'its name could not be looked up, DNS does not answer',
    hint: 'check the network: a VPN that is down?',
  },
  ECONNREFUSED: {
    problem: 'the connection was refused',
    hint: 'nothing listens there: check host and port in SETTING',
  },
  ECONNRESET: {
    problem: 'the connection was reset',
    hint: 'check the network, and host and port in SETTING',
  },
  EPIPE: { problem: 'the connection was closed', hint: 'check the network, and host and port in SETTING' },
  UND_ERR_SOCKET: {
    problem: 'the connection was closed',
    hint: 'check the network, and host and port in SETTING',
  },
  ETIMEDOUT: {
    problem: 'no connection came about',
    hint: 'check the network: a VPN that is down, a firewall?',
  },
  EHOSTUNREACH: { problem: 'there is no route to it', hint: 'check the network: a VPN that is down?' },
  ENETUNREACH: { problem: 'the network cannot be reached', hint: 'check the network of this machine' },
  EACCES: {
    problem: 'this machine does not allow the connection',
    hint: 'check its firewall and the sandbox that gwtoken runs in',
  },
  EPERM: {
    problem: 'this machine does not allow the connection',
    hint: 'check its firewall and the sandbox that gwtoken runs in',
  },
};

/** OpenSSL's codes for a handshake that failed, whatever the certificate. */
function tlsProblem(code: string | undefined): { problem: string; hint: string } | undefined {
  if (code !== 'EPROTO' && !code?.startsWith('ERR_SSL_')) return undefined;
  if (/WRONG_VERSION_NUMBER|HTTP_REQUEST|PACKET_LENGTH_TOO_LONG/.test(code)) {
    return { problem: 'it does not speak TLS', hint: 'check scheme and port in SETTING' };
  }
  return {
    problem: `the TLS handshake failed (${code})`,
    hint: 'TLS 1.2 or later is needed on both sides; a proxy or firewall may have cut it',
  };
}
