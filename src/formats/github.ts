/**
 * GitHub Actions: `NAME<<delimiter`, the value, the delimiter, appended to the file that the runner reads when the step
 * has ended. A value could add a variable of its own only if it had a line end, which no format carries, or were the
 * delimiter itself. actions/toolkit, which writes what it does not know, draws a random one for that.
 */
import { GwtokenError } from '../errors';
import type { World } from '../world/world';
import type { Format, Variable } from './format';

/** The variables of all later steps of the job. They cannot be removed: empty is the closest there is. */
export const githubEnv: Format = {
  appendsTo: 'GITHUB_ENV',
  set: (variables) => variables.map(entry).join(''),
  unset: (names) => names.map((name) => entry({ name, value: '' })).join(''),
};

/** The outputs of the step itself, as `steps.ID.outputs.access-token`. */
export const githubOutput: Format = {
  appendsTo: 'GITHUB_OUTPUT',
  ownNames: true,
  set: (variables) =>
    variables
      .map(({ name, value }) => entry({ name: name.toLowerCase().replaceAll('_', '-'), value }))
      .join(''),
  unset() {
    throw new GwtokenError(
      'usage',
      "--unset does not work with --format github-output: a step's outputs cannot be removed",
      {
        hints: ['to clear variables set with github-env, run: gwtoken env --format github-env --unset'],
      },
    );
  },
};

const DELIMITER = 'ghadelimiter_gwtoken';

function entry({ name, value = '' }: Variable): string {
  const delimiter = value === DELIMITER ? `${DELIMITER}_` : DELIMITER;
  return `${name}<<${delimiter}\n${value}\n${delimiter}\n`;
}

/**
 * Masks a token in the log of a GitHub Actions job; every command that outputs a token calls this first. The
 * runner reads both streams, and stdout may be inside `$(…)`, where a shell would run the line.
 */
export function maskToken(token: string, { env, stderr }: Pick<World, 'env' | 'stderr'>): void {
  if (env['GITHUB_ACTIONS'] === 'true') stderr.write(`::add-mask::${escapeData(token)}\n`);
}

/** As actions/toolkit escapes a command's data. */
export function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
