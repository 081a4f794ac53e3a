/** Parses a file of variables or outputs in the same way as FileCommandManager.cs of actions/runner. */
export function readFileCommands(text: string): Map<string, string> {
  const entries = new Map<string, string>();
  const lines = text.split('\n');
  // Text after the last line end counts as a line only if it is not empty.
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
      entries.set(line.slice(0, heredoc), lines.splice(0, end).join('\n'));
      // Drops the delimiter.
      lines.shift();
    } else {
      throw new Error('Invalid format');
    }
  }
  return entries;
}
