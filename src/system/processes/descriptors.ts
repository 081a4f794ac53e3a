/** The descriptors that the caller had open, beyond the standard streams: lock files, `<(…)`, pipes. */
import { fstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { orUndefined } from '../../errors';
import { IS_EXECUTABLE } from '../form';

/**
 * Returns the caller's descriptors without those of the runtime. Has to be called before gwtoken opens files
 * or sockets. On macOS it returns only regular files, and descriptors that an argument names as
 * `/dev/fd/N`, because any other pipe there may be the runtime's.
 */
export function callersDescriptors({ platform, argv }: Pick<NodeJS.Process, 'platform' | 'argv'>): number[] {
  if (platform === 'win32') return [];
  if (platform === 'linux') return withoutRuntimes(openDescriptors());
  const isNamed = (fd: number): boolean => argv.some((word) => new RegExp(`/dev/fd/${fd}(?!\\d)`).test(word));
  return numbersIn('/dev/fd').filter(
    (fd) => fd > 2 && orUndefined(() => fstatSync(fd).isFile() || isNamed(fd)) === true,
  );
}

interface Descriptor {
  readonly fd: number;
  /** `/a/file`, `anon_inode:[eventpoll]`, or `pipe:[42]` for both ends of a pipe. */
  readonly target: string;
  readonly closesOnExec: boolean;
  readonly isWritable: boolean;
}

const EVENT_LOOP = 'anon_inode:[eventpoll]';
const RUNTIMES = [EVENT_LOOP, 'anon_inode:[io_uring]', 'anon_inode:[eventfd]'];

/**
 * Returns the descriptors without those of the runtime, which opens its first event loop before all others.
 * The runtime's close on exec, and so may the caller's, because the runtime sets that flag on some of them.
 * Bun opens no pipe. One with both ends here is Node's if there is one for each event loop and one more. Else
 * some are the caller's, and all are returned: a lost one can mean an empty body, a surplus one harms nobody.
 */
function withoutRuntimes(open: readonly Descriptor[]): number[] {
  const closing = open.filter(({ closesOnExec }) => closesOnExec);
  const firstLoop = closing.findIndex(({ target }) => target === EVENT_LOOP);
  const later = firstLoop < 0 ? [] : closing.slice(firstLoop);
  const loops = later.filter(({ target }) => target === EVENT_LOOP);
  const pipeEnds = later.filter(
    ({ target, isWritable }) =>
      target.startsWith('pipe:') &&
      later.some((other) => other.target === target && other.isWritable !== isWritable),
  );
  const nodes = !IS_EXECUTABLE && pipeEnds.length === 2 * (loops.length + 1) ? pipeEnds : [];
  const runtimes = [...later.filter(({ target }) => RUNTIMES.includes(target)), ...nodes];
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
