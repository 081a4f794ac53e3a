/**
 * A tunnel through an HTTP proxy (CONNECT, RFC 9110 section 9.3.6). Not used: undici's ProxyAgent, which
 * cannot be stopped while it connects, so that a silent proxy would keep the program alive.
 */
import type { Socket } from 'node:net';
import connect from 'undici/lib/api/api-connect.js';
import { GwtokenError } from '../../errors';
import { withClient } from './one-socket';
import { calledProxy, type HttpProxy } from './proxy';

/**
 * Requests a tunnel to `target` (`host:port`) from the proxy. Returns the socket, which then leads there.
 *
 * @throws GwtokenError `unreached` with reason `proxy-refusal` or `proxy-failure` if the proxy refuses
 */
export async function openTunnel(socket: Socket, proxy: HttpProxy, target: string): Promise<Socket> {
  // The connection is there already, with TLS or without.
  const origin = `http://${proxy.name}`;
  const { authorization } = proxy;
  const reply = await withClient(socket, origin, (client) =>
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
  throw refusal(status, proxy, target);
}

/** Makes the error for a proxy's refusal. */
function refusal(status: number, refusing: HttpProxy, target: string): GwtokenError {
  const { name, source, authorization } = refusing;
  const error = (reason: string, problem: string, hint: string): GwtokenError =>
    new GwtokenError('unreached', `${calledProxy(refusing)} ${problem} (${status})`, {
      hints: [hint],
      reason,
    });
  if (status >= 500 && status !== 501) {
    const hint = `if ${target} is reachable without a proxy, add it to NO_PROXY`;
    return error('proxy-failure', `could not reach ${target}`, hint);
  }
  const refused = (problem: string, hint: string) => error('proxy-refusal', problem, hint);
  // tinyproxy answers 401 to a wrong password, and 407 to none.
  if (status !== 407 && status !== 401)
    return refused(
      `refused to connect to ${target}`,
      `ask the proxy's administrator to allow ${target}, or add it to NO_PROXY`,
    );
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
