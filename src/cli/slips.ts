/** Finds the probable meaning of a word that commander does not know. */
import { OMIT_COMMENT } from '../hints/steps';
import { similarWords } from '../text';

/** Command lines, each with the commands of gh, aws, gcloud, docker and others that do the same. */
const OTHER_TOOLS: Readonly<Record<string, readonly string[]>> = {
  get: ['token', 'auth token', 'print-access-token', 'auth print-access-token', 'get-token', 'access-token'],
  'get --fresh': ['refresh', 'cache'],
  env: ['export'],
  exec: ['run'],
  curl: ['api', 'http', 'wget'],
  login: ['auth', 'setup', 'init', 'configure', 'signin', 'rotate'],
  logout: ['remove', 'revoke', 'signout', 'auth logout'],
  status: ['whoami', 'show', 'list', 'ls', 'profile', 'profiles', 'auth status', 'auth list'],
  'status --verbose': ['config show'],
  doctor: ['check', 'test', 'debug'],
  'config set': ['set', 'use', 'switch'],
  'config list': ['config ls'],
  'config unset': ['config delete', 'config remove', 'config rm'],
  'config path': ['config edit'],
  'completion powershell': ['completion pwsh'],
  '--version': ['version'],
};

/** Returns the hint for a line with an unknown command or excess arguments, after the `names` of commands. */
export function hintFor(names: readonly string[], args: readonly string[]): string | undefined {
  if (args.includes('#')) return OMIT_COMMENT;
  if (args.some(beginsWithDash)) return 'use hyphens: -- and not a dash';
  const words = [...names, ...args].map((word) => word.toLowerCase());
  for (const count of [2, 1]) {
    const typed = words.slice(0, names.length + count).join(' ');
    const line = Object.keys(OTHER_TOOLS).find((each) => OTHER_TOOLS[each]!.includes(typed));
    if (line) return `did you mean: gwtoken ${line}`;
  }
  return undefined;
}

/** Returns whether a chat or a text editor has put a dash in place of the hyphens. */
function beginsWithDash(word: string): boolean {
  return /^[\u2010-\u2015\u2212]/.test(word);
}

/** Returns whether a word on a line without a command may be meant for `env`, or for an option before it. */
export function resemblesEnv(word: string): boolean {
  return /env|export/i.test(word) || beginsWithDash(word) || similarWords(word, ['env'], 1).length > 0;
}
