/** A Markdown file is imported as its text: bin/build/package.mjs and vitest's configuration say so. */
declare module '*.md' {
  const text: string;
  export default text;
}
