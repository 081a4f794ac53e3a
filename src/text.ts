/** Texts that are safe and short to show. */

/** Returns the text on one line, with control and direction characters written as `\u001b`. */
export function oneLine(text: string): string {
  return text.replace(
    /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * Cleans the text of another party (an endpoint, a proxy, a certificate): one line, no controls, and no
 * commands to a CI system: `##vso[`, `##[`, and `::name::` at the start of a line, which may be wrapped.
 */
export function foreign(text: string): string {
  return text
    .replace(/[\p{C}\u2028\u2029]+/gu, ' ')
    .trim()
    .replace(/##(?=\w*\[)/g, '# #')
    .replace(/(?<!\S):(?=:[a-z].*::)/gi, ': ');
}

/** Writes paths below the home directory as `~/…`; not in quotes or on Windows: shells read no `~` there. */
export function withTilde(
  text: string,
  { env, platform }: { readonly env: { readonly HOME?: string | undefined }; readonly platform: string },
): string {
  const home = env.HOME;
  if (!home || platform === 'win32') return text;
  return text.replace(/(^|[\s(])(\/[^\s]*)/g, (whole, prefix: string, path: string) =>
    path.startsWith(`${home}/`) ? `${prefix}~${path.slice(home.length)}` : whole,
  );
}

/** Quotes a value of the user's for a message: on one line, 100 characters at most. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}\u2026` : text);
}

/** Quotes a word for sh, zsh, fish and csh; without quotes and backslashes, PowerShell and Elvish too. */
export function shellWord(text: string): string {
  if (/^[\w@%+:,./-][\w@%+=:,./-]*$/.test(text)) return text;
  // Outside of the quotes, since inside them fish treats a backslash specially, and csh a `!`.
  return `'${text.replace(/['\\!]/g, "'\\$&'")}'`;
}

/** Characters of client IDs, tokens and scopes (RFC 6749 appendix A): visible ASCII and spaces. */
export const VSCHAR = /^[\x20-\x7e]*$/;

/** Returns a time in words: `0.4 s`, `10 s`, `1 min 30 s`, `59 min`, `2 h`, `2 h 5 min`. */
export function duration(ms: number): string {
  if (ms <= 59_000) return `${ms >= 10_000 ? Math.ceil(ms / 1000) : Math.round(ms / 100) / 10} s`;
  const seconds = Math.floor(ms / 1000);
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  if (hours > 0) return minutes === 0 ? `${hours} h` : `${hours} h ${minutes} min`;
  if (minutes === 0) return `${rest} s`;
  return minutes < 10 && rest > 0 ? `${minutes} min ${rest} s` : `${minutes} min`;
}
