/** form.ts for the standalone executable. */

export function formOf({ versions }: NodeJS.Process): string {
  return `standalone executable with Bun ${versions['bun']}`;
}

/** The executable itself, started with one of these as its first argument: src/executable.ts. */
export const LOOKUP_CHILD = '--the-lookup-child-of-gwtoken';
export const KEYCHAIN_CHILD = '--the-keychain-child-of-gwtoken';

/** It is in the file. */
export function isKeytarInstalled(): boolean {
  return true;
}
