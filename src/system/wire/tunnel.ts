/**
 * A tunnel through an HTTP proxy (CONNECT, RFC 9110 section 9.3.6), by undici's own CONNECT. Loaded when a proxy is
 * set.
 * undici's ProxyAgent cannot be stopped while it connects, so a silent proxy would keep the program alive.
 */
import type { Socket } from 'node:net';
import connect from 'undici/lib/api/api-connect.js';
import { GwtokenError } from '../../errors';
import { over } from './one-socket';
import { calledProxy, type HttpProxy } from './proxy';

/**
 * Requests a tunnel to `target` (`host:port`) from the proxy. Returns the socket, which then talks to the target.
 *
 * @throws GwtokenError `unreached` with reason `proxy-refusal` or `proxy-failure` if the proxy refuses
 */
export async function openTunnel(socket: Socket, proxy: HttpProxy, target: string): Promise<Socket> {
  // The connection is there already, with TLS or without.
  const origin = `http://${proxy.name}`;
  const { authorization } = proxy;
  const reply = await over(socket, origin, (client) =>
    connect.call(client, {
      origin,
      path: target,
      headers: {
        host: target,
        ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }),
      },
    }),
  );
  const { statusCode: status } = reply;
  if (status >= 200 && status < 300) return reply.socket as Socket;
  throw refusal(status, schemesIn(reply.headers['proxy-authenticate']), proxy, target);
}

/** @param schemes the authentication schemes that the proxy offers; empty if it does not say */
function refusal(
  status: number,
  schemes: readonly string[],
  refusing: HttpProxy,
  target: string,
): GwtokenError {
  const { name, source, authorization } = refusing;
  const proxy = calledProxy(refusing);
  const refused = (problem: string, hint: string): GwtokenError =>
    new GwtokenError('unreached', `${proxy} ${problem} (${status})`, {
      hints: [hint],
      reason: 'proxy-refusal',
    });
  // tinyproxy answers 401 to a wrong password, and 407 to none.
  if (status === 407 || status === 401) {
    if (schemes.length > 0 && !schemes.some((scheme) => /^basic$/i.test(scheme))) {
      return refused(
        `requires ${schemes.join(' or ')} authentication, and gwtoken supports only Basic`,
        `set ${source} to a local proxy that can log in there (cntlm, px), or ask the proxy's administrator for another way to ${target}`,
      );
    }
    return authorization === undefined
      ? refused(
          'requires a user name and password',
          `set them in the variable: ${source}=http://USER:PASSWORD@${name}`,
        )
      : refused(
          `rejected the user name or password in ${source}`,
          'percent-encode special characters: @ is %40, : is %3A, / is %2F',
        );
  }
  if (status >= 500 && status !== 501) {
    return new GwtokenError('unreached', `${proxy} could not reach ${target} (${status})`, {
      hints: [`if ${target} is reachable without a proxy, add it to NO_PROXY`],
      reason: 'proxy-failure',
    });
  }
  return refused(
    `refused to connect to ${target}`,
    `ask the proxy's administrator to allow ${target}, or add it to NO_PROXY`,
  );
}

/** The names of the schemes in Proxy-Authenticate (RFC 9110 section 11.6.1), without their parameters. */
function schemesIn(header: string | string[] | undefined): string[] {
  const challenges = [header ?? []].flat().join(', ');
  const unquoted = challenges.replace(/"(?:[^"\\]|\\.)*"/g, '""');
  const names = unquoted.split(',').map((part) => /^\s*([\w-]{1,40})(?:\s+(?![\s=])|$)/.exec(part)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))].slice(0, 5);
}
