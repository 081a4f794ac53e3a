/**
 * A tunnel through an HTTP proxy (CONNECT, RFC 9110 section 9.3.6), by undici's own CONNECT. Loaded when a proxy is set.
 *
 * Passed over: undici's ProxyAgent. It tells the proxy's status only inside a message, drops a user name without a
 * password, cannot be stopped while it connects (the signal does not reach it, so a silent proxy would keep the
 * program alive), and brings agent, pool and SOCKS along.
 */
import type { Socket } from 'node:net';
import connect from 'undici/lib/api/api-connect.js';
import { GwtokenError } from '../../errors';
import { over } from './one-socket';
import { calledProxy, type HttpProxy } from './proxy';

/**
 * Asks the proxy for a tunnel to `target`, `host:port`, and gives the socket that then talks to the target.
 *
 * @throws GwtokenError `unreached` of reason `proxy-refusal` or `proxy-failure` when the proxy says no
 */
export async function openTunnel(socket: Socket, proxy: HttpProxy, target: string): Promise<Socket> {
  const origin = `${proxy.secure ? 'https' : 'http'}://${proxy.name}`;
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
  socket.destroy();
  throw refusal(status, proxy, target);
}

function refusal(status: number, refusing: HttpProxy, target: string): GwtokenError {
  const { name, source, authorization } = refusing;
  const proxy = calledProxy(refusing);
  if (status === 407) {
    return authorization === undefined
      ? new GwtokenError('unreached', `${proxy} wants a user name and a password (407)`, {
          hints: [`give them in the variable: ${source}=http://USER:PASSWORD@${name}`],
          reason: 'proxy-refusal',
        })
      : new GwtokenError('unreached', `${proxy} refused the user name and password in ${source} (407)`, {
          hints: ['write special characters in them as %XX: @ is %40, : is %3A, / is %2F'],
          reason: 'proxy-refusal',
        });
  }
  if (status >= 500 && status !== 501) {
    return new GwtokenError('unreached', `${proxy} could not reach ${target} (${status})`, {
      hints: [`if ${target} can be reached without a proxy, add its name to NO_PROXY`],
      reason: 'proxy-failure',
    });
  }
  return new GwtokenError('unreached', `${proxy} refused to connect to ${target} (${status})`, {
    hints: [`ask its operators to allow ${target}, or add the name to NO_PROXY`],
    reason: 'proxy-refusal',
  });
}
