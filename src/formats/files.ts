/** The formats that a program parses, from a file or from stdout. No shell has to evaluate them. */
import { cannotCarry, type Format, jsonText } from './format';

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
  throw cannotCarry(name, 'contains quotes or a backslash, which .env parsers treat differently');
}

/** `docker run --env-file`. Docker has no escapes, and some versions strip quotes around the whole value. */
export const docker: Format = {
  set(name, value) {
    if (!/^(['"]).*\1$/.test(value)) return `${name}=${value}\n`;
    throw cannotCarry(name, 'is in quotes, which some Docker versions strip');
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
    // Agents disagree about the escape for `%`, expand `$(NAME)`, and may trim spaces.
    if (/%|\$\(|^ | $/.test(value))
      throw cannotCarry(name, 'contains %, $( or a space at an end, which agents may change');
    // Only the token is secret: the agent would also mask each `bearer` and each scope in the log.
    const secret = isSecret ? ';issecret=true' : '';
    return `##vso[task.setvariable variable=${name}${secret}]${value}\n`;
  },
  // The agent can empty a variable, but not remove it.
  remove: (name) => azure.set(name, ''),
};
