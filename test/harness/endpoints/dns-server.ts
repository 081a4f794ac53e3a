import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { onCleanup } from '../clean-up';

/** Starts a DNS server as root on Linux. Its address is random, because all DNS servers share one port. */
export async function startDns(mode: 'silent' | 'knows no name'): Promise<string> {
  const address = `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`;
  const server = createSocket('udp4').bind(53, address);
  server.on('message', (query, { port, address: peer }) => {
    if (mode === 'silent') return;
    // Turns the query into a reply with NXDOMAIN (RFC 1035 section 4.1.1).
    query.writeUInt16BE(0x8183, 2);
    server.send(query, port, peer);
  });
  await once(server, 'listening');
  onCleanup(() => server.close());
  return address;
}
