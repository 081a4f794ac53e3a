/** What the runners of GitHub Actions and Azure Pipelines read, and GitHub's mask. */
import { usage } from '../errors';
import type { World } from '../world';
import { cannotCarry, type Format, type Variable } from './format';

/** GitHub Actions: the variables of all later steps of the job. They cannot be removed: empty is the closest there is. */
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
    throw usage(
      "--unset does not work with --format github-output: a step's outputs cannot be removed",
      'to clear variables set with github-env, run: gwtoken env --format github-env --unset',
    );
  },
};

/**
 * `NAME<<delimiter`, the value, the delimiter, appended to the file that the runner reads when the step
 * has ended. A value could add a variable of its own only if it had a line end, which no format carries, or were the
 * delimiter itself. actions/toolkit, which writes what it does not know, draws a random one for that.
 */
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

/**
 * Azure Pipelines: a logging command for each variable, on a line of its own, which the agent reads from stdout. They are
 * secret: masked in the log, and passed only to a later step whose `env` names them.
 */
export const azure: Format = {
  set: (variables) => variables.map(azureCommand).join(''),
  // The agent has no command that removes a variable: empty is the closest there is.
  unset: (names) => names.map((name) => azureCommand({ name, value: '' })).join(''),
};

function azureCommand({ name, value = '' }: Variable): string {
  // Agents and Microsoft's own libraries have disagreed about how a `%` is escaped, so none is certain to arrive.
  if (value.includes('%')) throw refused(name, 'contains %, which agents decode inconsistently');
  if (value.includes('$(')) throw refused(name, 'contains $(, which the agent would expand');
  if (value !== value.trim()) throw refused(name, 'begins or ends with a space, which may be trimmed');
  return `##vso[task.setvariable variable=${name};issecret=true]${value}\n`;
}

function refused(name: string, problem: string): Error {
  return cannotCarry(name, problem, 'use instead: gwtoken exec -- COMMAND');
}
