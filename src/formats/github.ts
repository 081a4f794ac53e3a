/**
 * GitHub Actions: `NAME<<delimiter`, the value, the delimiter, appended to the file that the runner reads when the step
 * has ended. A value could add a variable of its own only if it had a line end, which no format carries, or were the
 * delimiter itself. actions/toolkit, which writes what it does not know, draws a random one for that.
 */
import { GwtokenError } from '../errors';
import type { World } from '../world/world';
import type { Format, Variable } from './format';

/** The variables of all later steps of the job. They cannot be taken away again: empty is what comes nearest. */
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
      '--format github-output has nothing to unset: an output belongs to its step',
      {
        hints: ['for what github-env has set use: gwtoken env --format github-env --unset'],
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
 * Has a token masked in the log of a GitHub Actions job; every command that lets a token out calls this first. The
 * runner reads both streams, and stdout may be inside `$(…)`, where a shell would run the line.
 */
export function maskToken(token: string, { env, stderr }: Pick<World, 'env' | 'stderr'>): void {
  if (env['GITHUB_ACTIONS'] === 'true') stderr.write(`::add-mask::${escapeData(token)}\n`);
}

/** As actions/toolkit escapes a command's data. */
export function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
