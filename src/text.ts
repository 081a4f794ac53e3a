/** Texts: cleaned, quoted, cut and hashed ones, durations, times, lists and similar words. */

/** Returns the text on one line, with control and direction characters written as `\u001b`. */
export function oneLine(text: string): string {
  return text.replace(
    /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * Cleans the text of another party (an endpoint, a proxy, a certificate): puts it on one line, removes
 * control characters, breaks commands to a CI system (`##vso[`, `##[`, and `::name::` at the start of a word,
 * where a wrapped line may begin), and cuts it to `limit` characters.
 */
export function cleaned(text: string, limit = 200): string {
  const clean = text
    .replace(/[\p{C}\u2028\u2029]+/gu, ' ')
    .trim()
    .replace(/##(?=\w*\[)/g, '# #')
    .replace(/(?<!\S):(?=:[a-z].*::)/gi, ': ');
  return shortened(clean, limit);
}

/** Cuts a text. The default is for a user's value. */
export function shortened(text: string, limit = 100): string {
  const characters = [...text];
  return characters.length > limit ? `${characters.slice(0, limit).join('')}…` : text;
}

/** Quotes a user's value for a message, on one line and with at most 100 characters. */
export function quoted(text: string): string {
  return JSON.stringify(shortened(text));
}

/** Quotes a word for sh, zsh, fish and csh. PowerShell reads it too, unless it contains `'`, `\` or `!`. */
export function shellWord(text: string): string {
  if (/^[\w@%+:,./-][\w@%+=:,./-]*$/.test(text)) return text;
  // `'`, `\` and `!` stand outside the quotes, because fish expands `\` and csh expands `!` inside them.
  return `'${text.replace(/['\\!]/g, "'\\$&'")}'`;
}

/** Returns a hash of eight hexadecimal digits (FNV-1a), for names in which a collision does no harm. */
export function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}

export function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** Formats a duration: `0.4 s`, `10 s`, `1 min 30 s`, `59 min`, `2 h`, `2 h 5 min`. */
export function duration(ms: number): string {
  if (ms <= 59_000) return `${ms >= 10_000 ? Math.round(ms / 1000) : Math.round(ms / 100) / 10} s`;
  const seconds = Math.floor(ms / 1000);
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  if (hours > 0) return minutes === 0 ? `${hours} h` : `${hours} h ${minutes} min`;
  if (minutes === 0) return `${rest} s`;
  return minutes < 10 && rest > 0 ? `${minutes} min ${rest} s` : `${minutes} min`;
}

/** Returns a time of RFC 3339 in UTC, in whole seconds: `fromdate` of jq 1.6 accepts no fraction. */
export function utcTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+/, '');
}

/** Returns the known words that are nearest to a misspelled one, if most of their letters agree. */
export function similarWords(word: string, known: readonly string[], maxEdits = 3): string[] {
  const near = [...new Set(known)].map((each) => ({ each, count: edits(word, each) }));
  const least = Math.min(maxEdits, ...near.map(({ count }) => count));
  return near
    .filter(({ each, count }) => count === least && count < 0.6 * Math.max(word.length, each.length))
    .map(({ each }) => each);
}

/** Counts the letters to add, remove, replace or swap (optimal string alignment distance). */
function edits(from: string, to: string): number {
  let [twoAbove, above]: number[][] = [[], Array.from({ length: to.length + 1 }, (_, column) => column)];
  for (let row = 0; row < from.length; row++) {
    const counts = [row + 1];
    for (let column = 0; column < to.length; column++) {
      const other = from[row] === to[column] ? 0 : 1;
      const isSwapped = from[row] === to[column - 1] && from[row - 1] === to[column];
      const swapped = isSwapped ? twoAbove![column - 1]! + 1 : Number.POSITIVE_INFINITY;
      counts.push(Math.min(above![column + 1]! + 1, counts[column]! + 1, above![column]! + other, swapped));
    }
    [twoAbove, above] = [above, counts];
  }
  return above!.at(-1)!;
}

/** Joins words for a sentence: `eu or us`, and with three `eu, us or mars`. */
export function listOf(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} or ${last}`;
}
