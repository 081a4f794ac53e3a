/** Finds the probable meaning of a word that commander does not know. */
import { OMIT_COMMENT } from '../hints/steps';

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

/** Flags of other tools for a secret. */
const SECRET_FLAG = /^--(client-secret|secret|password|token|access-token)(=|$)/;

/** Returns the hint for a line with an unknown word or excess arguments, after the `names` of commands. */
export function hintFor(names: readonly string[], args: readonly string[]): string | undefined {
  if (args.includes('#')) return OMIT_COMMENT;
  if (names[0] === 'login' && args.some((word) => SECRET_FLAG.test(word)))
    return 'no flag takes a secret: use the prompt or --secret-stdin';
  const words = [...names, ...args].map((word) => word.toLowerCase());
  for (const count of [2, 1]) {
    const typed = words.slice(0, names.length + count).join(' ');
    const line = Object.keys(OTHER_TOOLS).find((each) => OTHER_TOOLS[each]!.includes(typed));
    if (line) return `did you mean: gwtoken ${line}`;
  }
  return undefined;
}
