/**
 * Azure Pipelines: a logging command for each variable, on a line of its own, which the agent reads from stdout. Being
 * secret, they are masked in the log, and reach a later step only where its `env` names them.
 */
import { cannotCarry, type Format, type Variable } from './format';

export const azure: Format = {
  set: (variables) => variables.map(command).join(''),
  // The agent has no command that takes a variable away: empty is what comes nearest.
  unset: (names) => names.map((name) => command({ name, value: '' })).join(''),
};

function command({ name, value = '' }: Variable): string {
  // Agents and Microsoft's own libraries have disagreed about how a `%` is escaped, so none is certain to arrive.
  if (value.includes('%')) throw refused(name, 'has a % in it, which agents decode in different ways');
  if (value.includes('$(')) throw refused(name, 'has a $( in it, which the agent takes for another variable');
  if (value !== value.trim()) throw refused(name, 'begins or ends with a blank, which may be cut off');
  return `##vso[task.setvariable variable=${name};issecret=true]${value}\n`;
}

function refused(name: string, problem: string): Error {
  return cannotCarry(name, problem, 'run the command that needs the token by: gwtoken exec -- COMMAND');
}
