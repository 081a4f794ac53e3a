/** The formats that a program parses, from a file or from stdout. No shell has to evaluate them. */
import { cannotCarry, type Format, jsonText } from './format';

const USE_EXEC = 'gwtoken exec -- COMMAND';

/** An object of names and values; null removes a variable. JSON parsers reject empty output. */
export const json: Format = {
  set: jsonMember,
  remove: (name) => jsonMember(name, null),
  join: (members) => `{${members.join(',')}}\n`,
};

function jsonMember(name: string, value: string | null): string {
  return jsonText({ [name]: value }).slice(1, -1);
}

/**
 * `.env`, for dotenv, `node --env-file` and similar parsers. They disagree on many values, so this rejects
 * each value that one of them, or a shell that sources the file, would change. It rejects a backslash,
 * because only some libraries treat it as an escape, and allows `$` and backtick only in single quotes.
 */
export const dotenv: Format = {
  set: (name, value) => `${name}=${dotenvValue(value, name)}\n`,
};

function dotenvValue(value: string, name: string): string {
  // zsh expands `=ls` to a program's path at the start of a value and after a colon.
  if (/^[\w.,:/@%+=-]*$/.test(value) && !/(^|:)=/.test(value)) return value;
  if (!/['\\]/.test(value)) return `'${value}'`;
  if (!/["\\$`]/.test(value)) return `"${value}"`;
  throw cannotCarry(name, 'contains quotes or a backslash, which .env parsers treat differently', USE_EXEC);
}

/** `docker run --env-file`. Docker has no escapes, and some versions strip quotes around the whole value. */
export const docker: Format = {
  set(name, value) {
    if (!/^(['"]).*\1$/.test(value)) return `${name}=${value}\n`;
    const withExec = 'gwtoken exec -- docker run -e NAME IMAGE';
    throw cannotCarry(name, 'is in quotes, which some Docker versions strip', withExec);
  },
};

/** GitHub Actions: variables of all later steps of the job. They can be emptied, but not removed. */
export const githubEnv: Format = {
  appendsTo: 'GITHUB_ENV',
  set: githubEntry,
  remove: (name) => githubEntry(name, ''),
};

/** GitHub Actions: outputs of the current step, such as `steps.ID.outputs.access-token`. */
export const githubOutput: Format = {
  appendsTo: 'GITHUB_OUTPUT',
  prefix: '',
  set: (name, value) => githubEntry(name.toLowerCase().replaceAll('_', '-'), value),
  remove: (name) => githubOutput.set(name, ''),
};

/**
 * Delimiter of a value. It can be fixed: only a value with a line end, which no token has, or a value equal
 * to the delimiter could add another variable. actions/toolkit accepts any value and needs a random one.
 */
const DELIMITER = 'ghadelimiter_gwtoken';

function githubEntry(name: string, value: string): string {
  const delimiter = value === DELIMITER ? `${DELIMITER}_` : DELIMITER;
  return `${name}<<${delimiter}\n${value}\n${delimiter}\n`;
}

/** Azure Pipelines: variables of the job. The token is a secret variable, so later steps map it by `env`. */
export const azure: Format = {
  set(name, value, isSecret) {
    const refused = (problem: string): Error => cannotCarry(name, problem, USE_EXEC);
    // Agents and Microsoft's libraries have disagreed about the escape for `%`.
    if (value.includes('%')) throw refused('contains %, which agents decode inconsistently');
    if (value.includes('$(')) throw refused('contains $(, which the agent would expand');
    if (value !== value.trim()) throw refused('begins or ends with a space, which may be trimmed');
    // Only the token is secret: the agent would also mask each `bearer` and each scope in the log.
    const secret = isSecret ? ';issecret=true' : '';
    return `##vso[task.setvariable variable=${name}${secret}]${value}\n`;
  },
  // The agent can empty a variable, but not remove it.
  remove: (name) => azure.set(name, ''),
};
