/** The descriptors that gwtoken's caller had open, beyond the standard streams: lock files, `<(…)`, pipes. */
import { fstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { orUndefined } from '../../errors';

/**
 * Returns the caller's descriptors without those of the runtime. Has to be called before gwtoken opens files
 * or sockets. On macOS only regular files and what a word names as `/dev/fd/N` are returned, because any
 * other pipe there may be the runtime's.
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

/**
 * Leaves out the runtime's descriptors. They close on exec, and come after the first event loop, for which
 * the runtime takes the lowest free number. Each loop has an eventfd and, in Node, both ends of a pipe; Node
 * has one pipe more. If there are more than that, some are the caller's, and all of that kind are returned: a
 * lost one can mean an empty body, a surplus one harms nobody.
 */
function withoutRuntimes(open: readonly Descriptor[], isNode: boolean): number[] {
  const isLoop = ({ target }: Descriptor): boolean => target === 'anon_inode:[eventpoll]';
  const first = open.findIndex((each) => isLoop(each) && each.closesOnExec);
  const later = open.slice(first === -1 ? open.length : first).filter(({ closesOnExec }) => closesOnExec);
  const to = (target: string): Descriptor[] => later.filter((each) => each.target === target);
  const loops = later.filter(isLoop);
  const pipeEnds = later.filter(
    ({ target, isWritable }) =>
      target.startsWith('pipe:') && to(target).some((other) => other.isWritable !== isWritable),
  );
  const atMost = (count: number, found: Descriptor[]) => (found.length <= count ? found : []);
  const own = [
    ...loops,
    ...to('anon_inode:[io_uring]'),
    ...atMost(loops.length, to('anon_inode:[eventfd]')),
    ...atMost(isNode ? 2 * (loops.length + 1) : 0, pipeEnds),
  ];
  return open.filter((each) => !own.includes(each)).map(({ fd }) => fd);
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
