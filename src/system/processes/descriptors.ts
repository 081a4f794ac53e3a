/** The descriptors that gwtoken's caller had open, beyond the standard streams: lock files, `<(…)`, pipes. */
import { fstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { orUndefined } from '../../errors';

/** Matches the descriptors of a runtime's event loop, besides its pipes. */
const EVENT_LOOP = /^anon_inode:\[(eventpoll|eventfd|io_uring|timerfd)\]$/;

/**
 * Returns the caller's descriptors without those of the runtime. Has to be called before gwtoken opens files
 * or sockets. On macOS only regular files are returned, because a pipe there may be the runtime's.
 */
export function callersDescriptors(platform: NodeJS.Platform, parent: number): number[] {
  if (platform === 'win32') return [];
  if (platform !== 'linux')
    return numbersIn('/dev/fd').filter((fd) => fd > 2 && orUndefined(() => fstatSync(fd).isFile()));
  const open = linksOf('self').filter(({ fd }) => fd > 2);
  const hasBothEnds = ({ link }: Link): boolean =>
    link.startsWith('pipe:') && new Set(open.filter((end) => end.link === link).map(modeOf)).size > 1;
  // The runtime has both ends of its pipes. The caller has both ends of make's jobserver, as its parent has.
  const pairs = open.filter(hasBothEnds);
  const parents = pairs.length > 0 ? linksOf(parent).map(({ link }) => link) : [];
  const isOwn = (each: Link): boolean =>
    EVENT_LOOP.test(each.link) || (pairs.includes(each) && !parents.includes(each.link));
  return open.filter((each) => !isOwn(each)).map(({ fd }) => fd);
}

interface Link {
  readonly fd: number;
  /** `/a/file`, or `pipe:[42]` at both ends of a pipe. */
  readonly link: string;
}

function linksOf(pid: number | 'self'): Link[] {
  const directory = `/proc/${pid}/fd`;
  return numbersIn(directory).flatMap((fd) => {
    // The descriptor of the listed directory is closed by now.
    const link = orUndefined(() => readlinkSync(`${directory}/${fd}`));
    return link === undefined ? [] : [{ fd, link }];
  });
}

const numbersIn = (directory: string): number[] =>
  orUndefined(() => readdirSync(directory).map(Number)) ?? [];

/** Returns `0` for a descriptor to read from, `1` for one to write to. */
const modeOf = ({ fd }: Link): string | undefined =>
  /^flags:\s*\d*(\d)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1];
