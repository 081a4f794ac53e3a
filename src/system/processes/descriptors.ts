/** The descriptors that gwtoken's caller had open, beyond the standard streams: lock files, `<(…)`, pipes. */
import { fstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { orUndefined } from '../../errors';

/**
 * Returns the caller's descriptors without those of the runtime. Has to be called before gwtoken opens files
 * or sockets. On macOS it returns only regular files, and descriptors that an argument names as
 * `/dev/fd/N`, because any other pipe there may be the runtime's.
 */
export function callersDescriptors({
  platform,
  argv,
  versions,
}: Pick<NodeJS.Process, 'platform' | 'argv' | 'versions'>): number[] {
  if (platform === 'win32') return [];
  if (platform === 'linux') return withoutRuntimes(openDescriptors(), versions['bun'] === undefined);
  const isNamed = (fd: number): boolean => argv.some((word) => new RegExp(`/dev/fd/${fd}(?!\\d)`).test(word));
  return numbersIn('/dev/fd').filter(
    (fd) => fd > 2 && orUndefined(() => fstatSync(fd).isFile() || isNamed(fd)) === true,
  );
}

interface Descriptor {
  readonly fd: number;
  /** `/a/file`, `anon_inode:[eventfd]`, or `pipe:[42]` for both ends of a pipe. */
  readonly target: string;
  readonly closesOnExec: boolean;
  readonly isWritable: boolean;
}

const EVENT_LOOP = 'anon_inode:[eventpoll]';

/**
 * Returns the descriptors without those of the runtime: event loops, io_urings, one eventfd for each loop
 * and, in Node, one pipe for each loop and one more. The runtime's descriptors close on exec, and the lowest
 * one is an event loop. The caller's descriptors may look the same, because Node makes low ones close on
 * exec. If there are more eventfds or pipes than the runtime opens, some belong to the caller, and all are
 * returned: a lost descriptor can mean an empty body, a surplus one harms nobody.
 */
function withoutRuntimes(open: readonly Descriptor[], isNode: boolean): number[] {
  const closing = open.filter(({ closesOnExec }) => closesOnExec);
  const firstLoop = closing.find(({ target }) => target === EVENT_LOOP)?.fd ?? Number.POSITIVE_INFINITY;
  const candidates = closing.filter(({ fd }) => fd >= firstLoop);
  const to = (target: string): Descriptor[] => candidates.filter((each) => each.target === target);
  const hasOtherEnd = ({ target, isWritable }: Descriptor): boolean =>
    to(target).some((other) => other.isWritable !== isWritable);
  const loops = to(EVENT_LOOP);
  const pipeEnds = candidates.filter((each) => each.target.startsWith('pipe:') && hasOtherEnd(each));
  const atMost = (count: number, found: Descriptor[]) => (found.length <= count ? found : []);
  const runtimes = [
    ...loops,
    ...to('anon_inode:[io_uring]'),
    ...atMost(loops.length, to('anon_inode:[eventfd]')),
    ...atMost(isNode ? 2 * (loops.length + 1) : 0, pipeEnds),
  ];
  return open.filter((each) => !runtimes.includes(each)).map(({ fd }) => fd);
}

/** Lists the descriptors beyond the standard streams, the lowest first. */
function openDescriptors(): Descriptor[] {
  const numbers = numbersIn('/proc/self/fd').filter((fd) => fd > 2);
  return numbers.flatMap((fd) => {
    // The descriptor of the listed directory is closed by now.
    const target = orUndefined(() => readlinkSync(`/proc/self/fd/${fd}`));
    if (target === undefined) return [];
    const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1];
    const bits = Number.parseInt(flags ?? '0', 8);
    return [{ fd, target, closesOnExec: (bits & 0o2000000) !== 0, isWritable: (bits & 1) !== 0 }];
  });
}

const numbersIn = (directory: string): number[] =>
  (orUndefined(() => readdirSync(directory).map(Number)) ?? []).sort((a, b) => a - b);
