/** The bundler makes a text of each Markdown file (bin/build/package.mjs), and so does vitest's configuration. */
declare module '*.md' {
  const text: string;
  export default text;
}
