/** The command `gwtoken doctor`: makes the selected client's next request and reports each step. */
import { clientName } from '../client';
import { hideSecrets } from '../credentials/variables';
import { GwtokenError, type Hints } from '../errors';
import { hintsFor } from '../hints/hints';
import type { FlagValues, Settings } from '../settings/table';
import { duration, oneLine } from '../text';
import { queryOf } from '../token/query';
import type { World } from '../world';
import { hintLine } from './report';
import { readSettings, tokenFor } from './selected-token';

/** The outcome of a step, as --json shows it, with the lines that were traced on the way to it. */
interface Check {
  readonly name: string;
  readonly result: keyof typeof MARKS;
  readonly message: string;
  readonly hints: Hints;
  readonly trace: readonly string[];
}

const MARKS = { ok: 'ok  ', warning: 'warn', failed: 'FAIL' };
const COLOURS = { ok: 'green', warning: 'yellow', failed: 'red' } as const;

/** Reports the steps. If one fails, throws an error with its exit code. */
export async function showDiagnosis(flags: FlagValues, world: World): Promise<void> {
  const report = openReport(world);
  const error = await tryRequest(flags, report);
  const { checks } = report;
  if (flags.json) {
    const all = { version: world.version, exit_code: error?.exitCode ?? 0, checks };
    world.stdout.write(`${JSON.stringify(all)}\n`);
  } else {
    await writeChecks(checks, world);
  }
  if (!error) return;
  const message = `cannot get a new token: ${checks.at(-1)?.name} failed (see above)`;
  throw new GwtokenError(error.kind, message, [], { detail: error.detail });
}

interface Report {
  readonly checks: readonly Check[];
  /** The world of the steps, which adds each traced line to the next check. */
  readonly world: World;
  /** Begins the step that the next checks belong to. */
  begin(step: string): void;
  add(result: Check['result'], message: string, hints?: Hints): void;
}

function openReport(world: World): Report {
  const safe = (text: string): string => oneLine(hideSecrets(text, world.env));
  const checks: Check[] = [];
  let name = '';
  let traced: string[] = [];
  const trace = (line: string): void => {
    traced.push(safe(line));
    world.trace(line);
  };
  return {
    checks,
    world: { ...world, trace },
    begin(step) {
      name = step;
    },
    add(result, message, hints = []) {
      checks.push({ name, result, message: safe(message), hints: hints.map(safe), trace: traced });
      traced = [];
    },
  };
}

/** Requests a token as `get` does without a cached one. Returns the error of the step that failed. */
async function tryRequest(
  flags: FlagValues,
  { begin, add, world }: Report,
): Promise<GwtokenError | undefined> {
  let settings: Settings | undefined;
  try {
    begin('gwtoken');
    add('ok', `${world.version}, ${world.describeBuild()}`);

    begin('settings');
    settings = readSettings(flags, world, (text) => add('warning', text));
    const query = queryOf(settings, world);
    add('ok', clientName(query.key.client));

    for (const kind of ['config', 'cache'] as const) {
      begin(`${kind} directory`);
      const { text, hints } = world.probeDirectory(kind);
      add(hints ? 'warning' : 'ok', text, hints);
    }

    begin('credentials');
    // getToken() loads the credentials once, before its request: that ends this step.
    const source: typeof query.source = {
      ...query.source,
      async load(...wanted) {
        const credentials = await query.source.load(...wanted);
        add('ok', source.name);
        begin('request');
        return credentials;
      },
    };
    const { token } = await tokenFor({ ...query, source, useCache: false }, world);
    const valid = token.lifetimeS === undefined ? '' : `, valid for ${duration(token.lifetimeS * 1000)}`;
    add('ok', `token received${valid}`);
    return undefined;
  } catch (error) {
    if (!(error instanceof GwtokenError)) throw error;
    add('failed', error.message, hintsFor(error, settings));
    return error;
  }
}

async function writeChecks(checks: readonly Check[], { stdout, terminal }: World): Promise<void> {
  const paint = await terminal.paint('stdout');
  const width = Math.max(...checks.map(({ name }) => name.length));
  for (const { name, result, message, hints, trace } of checks) {
    stdout.write(`${paint[COLOURS[result]](MARKS[result])} ${name.padEnd(width)}  ${message}\n`);
    for (const hint of hints) stdout.write(`  ${hintLine(hint, paint)}\n`);
    for (const line of trace) stdout.write(`     ${line}\n`);
  }
}
