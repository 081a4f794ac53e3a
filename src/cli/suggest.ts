/** What people type first who come from other tools, or mistype, and the line of gwtoken that they mean. */

import { shellWord } from '../text';

/** Words of gh, aws, gcloud, docker, npm and their like, and what each is here. Two words come before their first. */
const OTHER_TOOLS: Readonly<Record<string, string>> = {
  'auth login': 'login',
  'auth logout': 'logout',
  'auth status': 'status',
  'auth token': 'get',
  auth: 'login',
  token: 'get',
  refresh: 'get --fresh',
  export: 'env',
  run: 'exec',
  init: 'login',
  configure: 'login',
  whoami: 'status',
  list: 'status',
  ls: 'status',
  set: 'config set',
  unset: 'config unset',
  '--output': '--format',
  '-o': '--format',
  '--debug': '--verbose',
  '--url': '--auth-url',
};

type Words = readonly string[];

/**
 * The lines that may have been meant, each one that gwtoken takes.
 *
 * @param wrong the word that gwtoken does not know; empty if a command is missing
 * @param similar the words that commander offers in its place
 */
export function suggestions(
  argv: Words,
  wrong: string,
  similar: Words,
  takes: (argv: Words) => boolean,
): Words[] {
  if (wrong === '') return [['get', ...argv]].filter(takes);
  const at = argv.findIndex((word) => word === wrong || word.startsWith(`${wrong}=`));
  const [word = '', next = ''] = argv.slice(at);
  const before = argv.slice(0, at);
  const value = word.slice(wrong.length);
  const pair = otherTools(`${word} ${next}`);
  if (pair) return [[...before, ...pair, ...argv.slice(at + 2)], pair].filter(takes).slice(0, 1);
  const lines = (words: Words): Words => [
    ...before,
    ...words.slice(0, -1),
    words.at(-1) + value,
    ...argv.slice(at + 1),
  ];
  const meant = otherTools(wrong);
  if (meant) return [lines(meant), meant].filter(takes).slice(0, 1);
  return similar.map((each) => lines([each])).filter(takes);
}

function otherTools(words: string): Words | undefined {
  return Object.hasOwn(OTHER_TOOLS, words) ? OTHER_TOOLS[words]?.split(' ') : undefined;
}

/** A line as it is typed; undefined if it may contain a password: that is not repeated. */
export function typedLine(line: Words): string | undefined {
  return line.some((word) => word.includes('@')) ? undefined : ['gwtoken', ...line.map(shellWord)].join(' ');
}
