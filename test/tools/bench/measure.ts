import { spawnSync } from 'node:child_process';

/** One command line that is timed from its start to its end. */
export interface Timed {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment: nothing of the shell's own gets in, NODE_EXTRA_CA_CERTS least of all. */
  readonly env: Readonly<Record<string, string>>;
  /** What stands on stdout in the end; a run that says anything else, or fails, ends the measuring. */
  readonly expected?: RegExp;
  /** Done before each run, and not timed. */
  prepare?(): void;
  /** Fewer rounds than the others take part in, for what takes half a second each time. */
  readonly rounds?: number;
}

export interface Measured {
  readonly name: string;
  readonly rounds: number;
  /** The median, and the quarters on either side of it, in milliseconds. */
  readonly ms: number;
  readonly quartiles: readonly [number, number];
  /** The median of the ratios to the base command of the same round, and of the differences in milliseconds. */
  readonly ratio: number;
  readonly moreMs: number;
}

/**
 * Times all commands in rounds: each round runs the base and every command once, in an order by chance. So a machine
 * that gets slower or faster meanwhile does it to all alike, and each ratio is of two runs that are next to each other.
 */
export function measure(base: Timed, commands: readonly Timed[], rounds: number): Measured[] {
  const all = [base, ...commands];
  const times = new Map<Timed, number[]>(all.map((each) => [each, []]));
  // Once untimed: the disk's cache is warm afterwards, and a command that does not work is found at once.
  for (const each of all) run(each);
  for (let round = 0; round < rounds; round++) {
    const some = all.filter((each) => round < (each.rounds ?? rounds));
    for (const each of shuffled(some)) times.get(each)?.push(run(each));
  }
  const bases = times.get(base) ?? [];
  return all.map((each) => {
    const own = times.get(each) ?? [];
    return {
      name: each.name,
      rounds: own.length,
      ms: quantile(own, 0.5),
      quartiles: [quantile(own, 0.25), quantile(own, 0.75)],
      ratio: quantile(
        own.map((ms, round) => ms / bases[round]!),
        0.5,
      ),
      moreMs: quantile(
        own.map((ms, round) => ms - bases[round]!),
        0.5,
      ),
    };
  });
}

/** Runs a command once and gives the milliseconds it took; throws when it did not do what it should. */
export function run({ name, command, args, env, expected, prepare }: Timed): number {
  prepare?.();
  const options = {
    env: { ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    timeout: 60_000,
  } as const;
  const started = process.hrtime.bigint();
  const { status, signal, stdout, stderr, error } = spawnSync(command, args, {
    ...options,
    stdio: [...options.stdio],
  });
  const ms = Number(process.hrtime.bigint() - started) / 1e6;
  if (status !== 0) throw new Error(`${name}: ${error?.message ?? signal ?? `code ${status}`}\n${stderr}`);
  if (expected && !expected.test(stdout))
    throw new Error(`${name} printed something else:\n${stdout}${stderr}`);
  return ms;
}

function shuffled<T>(items: readonly T[]): T[] {
  const left = [...items];
  const order: T[] = [];
  while (left.length > 0) order.push(...left.splice(Math.floor(Math.random() * left.length), 1));
  return order;
}

function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * part;
  const below = sorted[Math.floor(at)] ?? Number.NaN;
  return below + ((sorted[Math.ceil(at)] ?? below) - below) * (at - Math.floor(at));
}
