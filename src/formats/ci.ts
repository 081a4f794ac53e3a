/** What the runners of GitHub Actions and Azure Pipelines read, and GitHub's mask. */
import { usage } from '../errors';
import type { World } from '../world';
import { cannotCarry, type Format, statements } from './format';

/** GitHub Actions: the variables of all later steps of the job. They cannot be removed: empty is the closest there is. */
export const githubEnv: Format = {
  appendsTo: 'GITHUB_ENV',
  ...statements(entry, entry),
};

/** The outputs of the step itself, as `steps.ID.outputs.access-token`. */
export const githubOutput: Format = {
  appendsTo: 'GITHUB_OUTPUT',
  ownNames: true,
  set: (variables) =>
    variables.map(({ name, value }) => entry(name.toLowerCase().replaceAll('_', '-'), value)).join(''),
  unset() {
    throw usage(
      "--unset does not work with --format github-output: a step's outputs cannot be removed",
      'to clear variables set with github-env, run: gwtoken env --format github-env --unset',
    );
  },
};

/**
 * A value could add a variable of its own only if it had a line end, which no format carries, or were the delimiter
 * itself. actions/toolkit, which writes what it does not know, draws a random one for that.
 */
const DELIMITER = 'ghadelimiter_gwtoken';

function entry(name: string, value = ''): string {
  const delimiter = value === DELIMITER ? `${DELIMITER}_` : DELIMITER;
  return `${name}<<${delimiter}\n${value}\n${delimiter}\n`;
}

/** Masks a token in the log of a GitHub Actions job. On stderr: stdout may be inside `$(…)`, where a shell would run it. */
export function maskToken(token: string, { env, stderr }: Pick<World, 'env' | 'stderr'>): void {
  if (env['GITHUB_ACTIONS'] === 'true') stderr.write(`::add-mask::${escapeData(token)}\n`);
}

/** As actions/toolkit escapes a command's data. */
export function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/** Azure Pipelines: secret variables, masked in the log and passed only to a later step whose `env` names them. */
export const azure: Format = {
  // The agent has no command that removes a variable: empty is the closest there is.
  ...statements(azureCommand, azureCommand),
};

function azureCommand(name: string, value = ''): string {
  // Agents and Microsoft's own libraries have disagreed about how a `%` is escaped, so none is certain to arrive.
  if (value.includes('%')) throw refused(name, 'contains %, which agents decode inconsistently');
  if (value.includes('$(')) throw refused(name, 'contains $(, which the agent would expand');
  if (value !== value.trim()) throw refused(name, 'begins or ends with a space, which may be trimmed');
  return `##vso[task.setvariable variable=${name};issecret=true]${value}\n`;
}

function refused(name: string, problem: string): Error {
  return cannotCarry(name, problem, 'use instead: gwtoken exec -- COMMAND');
}
