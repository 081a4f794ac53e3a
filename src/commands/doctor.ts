/** The command `gwtoken doctor`: makes the selected client's next request and reports each step. */
import { clientName } from '../client';
import { hideSecrets } from '../credentials/variables';
import { GwtokenError } from '../errors';
import { hintsFor } from '../hints/hints';
import { gather, settingLines, unknownKeys } from '../settings/resolve';
import type { FlagValues, Settings } from '../settings/table';
import { duration, oneLine } from '../text';
import { queryOf } from '../token/query';
import type { World } from '../world';
import { type Finding, writeFindings } from './report';
import { tokenFor } from './selected-token';
import { strayVariables } from './stray-variables';

/** Reports the steps. If one fails, throws an error with its exit code. */
export async function showDiagnosis(flags: FlagValues, world: World): Promise<void> {
  const report = openReport(world);
  const error = await tryRequest(flags, report);
  const { checks } = report;
  if (flags.json) {
    const all = { version: world.version, exit_code: error?.exitCode ?? 0, checks };
    world.stdout.write(`${JSON.stringify(all)}\n`);
  } else {
    const width = Math.max(...checks.map(({ name }) => name.length));
    const lines = checks.map(({ name, message, ...rest }) => {
      return { ...rest, message: `${name.padEnd(width)}  ${message}` };
    });
    await writeFindings(lines, world);
  }
  if (!error) return;
  const message = `cannot get a new token: ${checks.at(-1)?.name} failed (see above)`;
  throw new GwtokenError(error.kind, message, [], { detail: error.detail });
}

/** Requests a token as `get` does without a cached one. Returns the error of the step that failed. */
async function tryRequest(flags: FlagValues, { add, world }: Report): Promise<GwtokenError | undefined> {
  let step = 'settings';
  let settings: Settings | undefined;
  try {
    add('ok', 'gwtoken', `${world.version}, ${world.describeBuild()}`);
    const strays = strayVariables(world);
    for (const stray of strays) add('warning', 'variables', stray);
    if (strays.length === 0) add('ok', 'variables', 'none misspelled');
    settings = gather(flags, world);
    for (const text of unknownKeys(settings.config)) add('warning', 'config file', text);
    for (const line of settingLines(settings)) world.trace(line);
    const query = queryOf(settings, world);
    add('ok', step, clientName(query.key.client));
    for (const kind of ['config', 'cache'] as const) {
      const { text, hints } = world.probeDirectory(kind);
      add(hints ? 'warning' : 'ok', `${kind} directory`, text, hints);
    }
    step = 'credentials';
    // The credentials are loaded in the middle of getToken().
    const source: typeof query.source = {
      ...query.source,
      async load(...wanted) {
        const credentials = await query.source.load(...wanted);
        add('ok', step, source.name);
        step = 'request';
        return credentials;
      },
    };
    const { token } = await tokenFor({ ...query, source, useCache: false }, world);
    const valid = token.lifetimeS === undefined ? '' : `, valid for ${duration(token.lifetimeS * 1000)}`;
    add('ok', step, `token received${valid}`);
    return undefined;
  } catch (error) {
    if (!(error instanceof GwtokenError)) throw error;
    add('failed', step, error.message, hintsFor(error, settings), error.exitCode);
    return error;
  }
}

/** The result of a step, as --json shows it. */
interface Check extends Required<Finding> {
  readonly name: string;
  /** The exit code of `get`; null if the step did not fail. */
  readonly exit_code: number | null;
}

interface Report {
  readonly checks: readonly Check[];
  /** The world of the steps, which adds each traced line to the next check. */
  readonly world: World;
  add(
    result: Check['result'],
    name: string,
    message: string,
    hints?: readonly string[],
    exitCode?: number | null,
  ): void;
}

function openReport(world: World): Report {
  const safe = (text: string): string => oneLine(hideSecrets(text, world.env));
  const checks: Check[] = [];
  let trace: string[] = [];
  return {
    checks,
    world: {
      ...world,
      trace(line) {
        trace.push(safe(line));
        world.trace(line);
      },
    },
    add(result, name, message, hints = [], exit_code = null) {
      checks.push({ name, result, message: safe(message), hints: hints.map(safe), trace, exit_code });
      trace = [];
    },
  };
}
