/** What other programs print to be evaluated, so that the test can be seen to catch them. */
import { execFileSync } from 'node:child_process';
import type { Encoder } from './batch';

const lines =
  (statement: (name: string, value: string) => string): Encoder =>
  (variables) =>
    variables.map(({ name, value = '' }) => `${statement(name, value)}\n`).join('');

/** Single quotes alone, `'\''` for a quote: Python's shlex.quote and most libraries. */
const singleQuotes = lines((name, value) => `export ${name}='${value.replaceAll("'", "'\\''")}';`);

/** Double quotes and backslashes. */
const doubleQuotes = lines((name, value) => `export ${name}="${value.replace(/["\\$`]/g, '\\$&')}";`);

/** bash's own `printf %q`. */
const printfQ: Encoder = (variables) => {
  const values = variables.map(({ value = '' }) => value);
  const quoted = execFileSync(
    'bash',
    ['--norc', '-c', 'for v; do printf "%q\\n" "$v"; done', 'bash', ...values],
    {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], LC_ALL: 'C' },
    },
  ).split('\n');
  return variables.map(({ name }, index) => `export ${name}=${quoted[index]};\n`).join('');
};

/** `$'…'`, as direnv prints. */
const dollarQuotes = lines((name, value) => {
  const escaped = value.replace(/[\\']/g, '\\$&');
  return `export ${name}=$'${escaped}';`;
});

/** Nothing but double quotes around, as docker-machine and minikube print. */
const rawInQuotes = lines((name, value) => `export ${name}="${value}";`);

/** Nothing at all, as `aws configure export-credentials` prints. */
const raw = lines((name, value) => `export ${name}=${value};`);

export const USUAL_ENCODERS: Readonly<Record<string, Encoder>> = {
  'single quotes': singleQuotes,
  'double quotes': doubleQuotes,
  'printf %q': printfQ,
  "$'…'": dollarQuotes,
  'raw in quotes': rawInQuotes,
  raw,
};
