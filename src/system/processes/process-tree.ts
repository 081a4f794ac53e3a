/** Finds and ends what a process has started, where no process group of its own tells. */
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';

/** The living descendants of a process, nearest first. One that its parent has left behind is not found. */
export function descendants(pid: number, platform: NodeJS.Platform): number[] {
  const children = new Map<number, number[]>();
  for (const [child, parent] of platform === 'linux' ? parentsFromProc() : parentsFromPs()) {
    children.set(parent, [...(children.get(parent) ?? []), child]);
  }
  const found = [pid];
  for (const each of found) found.push(...(children.get(each) ?? []));
  return found.slice(1);
}

/** Read by hand on Linux: slim container images have no ps, which tree-kill and pidtree need. */
function parentsFromProc(): [number, number][] {
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name): [number, number][] => {
      try {
        const stat = fs.readFileSync(`/proc/${name}/stat`, 'latin1');
        // "pid (command) state ppid …": the command may have anything in it, parentheses too.
        const parent = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
        return [[Number(name), Number(parent)]];
      } catch {
        return [];
      }
    });
}

function parentsFromPs(): [number, number][] {
  const text = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'latin1' });
  return text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number) as [number, number]);
}
