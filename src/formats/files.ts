/** The formats that no shell reads: files of `NAME=value` lines, JSON, and those of CI systems' runners. */
import { cannotCarry, type Format, jsonText } from './format';

const USE_EXEC = 'use instead: gwtoken exec -- COMMAND';

/** An object of names and values, null for a removed one. A reader fails by itself if nothing is printed. */
export const json: Format = {
  set: jsonMember,
  remove: (name) => jsonMember(name, null),
  join: (members) => `{${members.join(',')}}\n`,
};

function jsonMember(name: string, value: string | null): string {
  return jsonText({ [name]: value }).slice(1, -1);
}

/**
 * `.env`, for dotenv, `node --env-file` and similar parsers, which agree on little: a value that one of them,
 * or a shell that sources the file, would change is refused. So a backslash, which escapes or not depending
 * on quote and library, is refused, and `$` and backtick are allowed in single quotes only.
 */
export const dotenv: Format = {
  set: (name, value) => `${name}=${dotenvValue(value, name)}\n`,
};

function dotenvValue(value: string, name: string): string {
  // zsh takes `=ls` for a program's path, at the start and behind a colon.
  if (/^[\w.,:/@%+=-]*$/.test(value) && !/(^|:)=/.test(value)) return value;
  if (!/['\\]/.test(value)) return `'${value}'`;
  if (!/["\\$`]/.test(value)) return `"${value}"`;
  throw cannotCarry(name, 'contains quotes or a backslash, which .env parsers treat differently', USE_EXEC);
}

/** `docker run --env-file`: nothing is escaped, and some versions strip quotes around the whole value. */
export const docker: Format = {
  set(name, value) {
    if (!/^(['"]).*\1$/.test(value)) return `${name}=${value}\n`;
    const instead = 'use instead: gwtoken exec -- docker run -e NAME IMAGE';
    throw cannotCarry(name, 'is in quotes, which some Docker versions strip', instead);
  },
};

/** GitHub Actions: the variables of all later steps of the job. Empty is the closest to removed. */
export const githubEnv: Format = {
  appendsTo: 'GITHUB_ENV',
  set: githubEntry,
  remove: (name) => githubEntry(name, ''),
};

/** The outputs of the step itself, as `steps.ID.outputs.access-token`. */
export const githubOutput: Format = {
  appendsTo: 'GITHUB_OUTPUT',
  prefix: '',
  set: (name, value) => githubEntry(name.toLowerCase().replaceAll('_', '-'), value),
  remove: (name) => githubOutput.set(name, ''),
};

/**
 * A value could add a variable of its own only if it had a line end, which no token has, or were the
 * delimiter itself. actions/toolkit draws a random one, since it writes values that it does not know.
 */
const DELIMITER = 'ghadelimiter_gwtoken';

function githubEntry(name: string, value: string): string {
  const delimiter = value === DELIMITER ? `${DELIMITER}_` : DELIMITER;
  return `${name}<<${delimiter}\n${value}\n${delimiter}\n`;
}

/** Azure Pipelines: variables of the job; the token is a secret one, for later steps whose `env` names it. */
export const azure: Format = {
  set(name, value) {
    const refused = (problem: string): Error => cannotCarry(name, problem, USE_EXEC);
    // Agents and Microsoft's own libraries have disagreed about how a `%` is escaped.
    if (value.includes('%')) throw refused('contains %, which agents decode inconsistently');
    if (value.includes('$(')) throw refused('contains $(, which the agent would expand');
    if (value !== value.trim()) throw refused('begins or ends with a space, which may be trimmed');
    // Not the others: each `bearer` and scope in the log would be masked too.
    const secret = name.endsWith('ACCESS_TOKEN') ? ';issecret=true' : '';
    return `##vso[task.setvariable variable=${name}${secret}]${value}\n`;
  },
  // The agent has no command for it: empty is the closest there is.
  remove: (name) => azure.set(name, ''),
};
