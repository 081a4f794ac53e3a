/** The most edits between a word and one that it was meant to be. */
const MAX_EDITS = 3;

/** Returns those words that are nearest to a misspelled one, if most of their letters agree. */
export function similarWords(word: string, known: readonly string[]): string[] {
  const near = [...new Set(known)].map((each) => ({ each, count: edits(word, each) }));
  const least = Math.min(MAX_EDITS, ...near.map(({ count }) => count));
  return near
    .filter(({ each, count }) => count === least && count < 0.6 * Math.max(word.length, each.length))
    .map(({ each }) => each);
}

/** Counts the letters to add, remove, replace or swap with their neighbour (Damerau and Levenshtein). */
function edits(from: string, to: string): number {
  const counts = [...Array(from.length + 1).keys()].map((row) => [row, ...Array<number>(to.length).fill(0)]);
  const at = (row: number, column: number): number =>
    row < 0 || column < 0 ? Infinity : counts[row]![column]!;
  for (let column = 1; column <= to.length; column++) {
    counts[0]![column] = column;
    for (let row = 1; row <= from.length; row++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      counts[row]![column] = Math.min(
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        at(row - 1, column - 1) + (isSame ? 0 : 1),
        isSwapped ? at(row - 2, column - 2) + 1 : Infinity,
      );
    }
  }
  return at(from.length, to.length);
}
