/**
 * Azure Pipelines: a logging command for each variable, on a line of its own, which the agent reads from stdout. They are
 * secret: masked in the log, and passed only to a later step whose `env` names them.
 */
import { cannotCarry, type Format, type Variable } from './format';

export const azure: Format = {
  set: (variables) => variables.map(command).join(''),
  // The agent has no command that removes a variable: empty is the closest there is.
  unset: (names) => names.map((name) => command({ name, value: '' })).join(''),
};

function command({ name, value = '' }: Variable): string {
  // Agents and Microsoft's own libraries have disagreed about how a `%` is escaped, so none is certain to arrive.
  if (value.includes('%')) throw refused(name, 'contains %, which agents decode inconsistently');
  if (value.includes('$(')) throw refused(name, 'contains $(, which the agent would expand');
  if (value !== value.trim()) throw refused(name, 'begins or ends with a space, which may be trimmed');
  return `##vso[task.setvariable variable=${name};issecret=true]${value}\n`;
}

function refused(name: string, problem: string): Error {
  return cannotCarry(name, problem, 'use instead: gwtoken exec -- COMMAND');
}
