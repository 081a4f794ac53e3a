import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { onCleanup } from '../clean-up';

/**
 * A DNS server that hears and never answers, as root on Linux. Gives its address: another one each time, since all
 * have the same port and another run of the tests may be under way on this machine.
 */
export async function startSilentDns(): Promise<string> {
  const address = `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`;
  const silent = createSocket('udp4').bind(53, address);
  await once(silent, 'listening');
  onCleanup(() => silent.close());
  return address;
}
