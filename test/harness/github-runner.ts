/**
 * What GitHub's runner makes of a step: the files for variables and outputs as actions/runner's FileCommandManager.cs
 * has it, the log with its masks as its documentation tells.
 */

/** The entries of a file behind `$GITHUB_ENV` or `$GITHUB_OUTPUT`; a later one replaces an earlier. */
export function readFileCommands(text: string): Map<string, string> {
  const entries = new Map<string, string>();
  const lines = text.split('\n');
  // What stands behind the last line end is a line only if there is something.
  if (lines.at(-1) === '') lines.pop();
  for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
    if (line === '') continue;
    const equals = line.indexOf('=');
    const heredoc = line.indexOf('<<');
    if (equals >= 0 && (heredoc < 0 || equals < heredoc)) {
      entries.set(line.slice(0, equals), line.slice(equals + 1));
    } else if (heredoc > 0 && heredoc + 2 < line.length) {
      const end = lines.indexOf(line.slice(heredoc + 2));
      if (end < 0) throw new Error('Matching delimiter not found');
      entries.set(
        line.slice(0, heredoc),
        lines
          .splice(0, end + 1)
          .slice(0, -1)
          .join('\n'),
      );
    } else {
      throw new Error('Invalid format');
    }
  }
  return entries;
}

export interface Log {
  /** The lines that are kept: commands are taken out, and what was masked before is replaced. */
  readonly lines: readonly string[];
  readonly masks: readonly string[];
}

/** The log that is made of a step's output, both streams as one. */
export function readLog(output: string): Log {
  const masks: string[] = [];
  const lines: string[] = [];
  for (const line of output.split('\n')) {
    const [, data] = /^\s*::add-mask::(.*)$/.exec(line) ?? [];
    if (data !== undefined) {
      const value = data.replaceAll('%0A', '\n').replaceAll('%0D', '\r').replaceAll('%25', '%');
      if (value.trim() !== '') masks.push(value, ...value.split(/\r?\n/));
    } else if (!/^\s*::[\w-]+( [^:]*)?::/.test(line)) {
      lines.push(masks.reduce((text, mask) => text.replaceAll(mask, '***'), line));
    }
  }
  return { lines, masks: [...new Set(masks)] };
}
