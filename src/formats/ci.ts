/** The formats for the runners of GitHub Actions and Azure Pipelines. */
import { usage } from '../errors';
import { cannotCarry, type Format, statements } from './format';

/** GitHub Actions: the variables of all later steps of the job. Empty is the closest to removed. */
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
 * A value could add a variable of its own only if it had a line end, which no format carries, or were the
 * delimiter itself. actions/toolkit draws a random one, since it writes values that it does not know.
 */
const DELIMITER = 'ghadelimiter_gwtoken';

function entry(name: string, value = ''): string {
  const delimiter = value === DELIMITER ? `${DELIMITER}_` : DELIMITER;
  return `${name}<<${delimiter}\n${value}\n${delimiter}\n`;
}

/** Azure Pipelines: secret variables, masked in the log and passed to later steps whose `env` names them. */
export const azure: Format = {
  // The agent has no command that removes a variable: empty is the closest there is.
  ...statements(azureCommand, azureCommand),
};

function azureCommand(name: string, value = ''): string {
  // Agents and Microsoft's own libraries have disagreed about how a `%` is escaped.
  if (value.includes('%')) throw refused(name, 'contains %, which agents decode inconsistently');
  if (value.includes('$(')) throw refused(name, 'contains $(, which the agent would expand');
  if (value !== value.trim()) throw refused(name, 'begins or ends with a space, which may be trimmed');
  return `##vso[task.setvariable variable=${name};issecret=true]${value}\n`;
}

function refused(name: string, problem: string): Error {
  return cannotCarry(name, problem, 'use instead: gwtoken exec -- COMMAND');
}
