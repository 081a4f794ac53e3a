/**
 * Every flag once, as data: commander's program and the quick way are both built from this table, so that the two
 * cannot disagree about the grammar.
 */
export interface Flag {
  readonly name: string;
  readonly short?: string;
  /** How the value is called in help; a flag without one is a switch. */
  readonly value?: string;
  /** A switch that also, or only, exists as `--no-NAME`. */
  readonly negative?: 'also' | 'only';
  readonly help: string;
  /** The variable and the key of the config file that do the same. */
  readonly variable?: string;
  readonly configKey?: string;
  readonly group: 'client' | 'fetch' | 'output' | 'general';
}

const flags = {
  region: {
    name: 'region',
    short: 'r',
    value: 'eu|us',
    group: 'client',
    help: "the client's region",
    variable: 'GWTOKEN_REGION',
    configKey: 'region',
  },
  sandbox: {
    name: 'sandbox',
    negative: 'also',
    group: 'client',
    help: "the sandbox's clients instead of production's",
    variable: 'GWTOKEN_SANDBOX',
    configKey: 'sandbox',
  },
  profile: {
    name: 'profile',
    short: 'p',
    value: 'NAME',
    group: 'client',
    help: 'a named set of clients',
    variable: 'GWTOKEN_PROFILE',
    configKey: 'profile',
  },
  authUrl: {
    name: 'auth-url',
    value: 'URL',
    group: 'client',
    help: 'the regional identity address; {region} in it is replaced',
    variable: 'GWTOKEN_AUTH_URL[_EU|_US]',
    configKey: 'auth-url[.eu|.us]',
  },
  minTtl: {
    name: 'min-ttl',
    value: 'DURATION',
    group: 'fetch',
    help: 'the least life the token must have left: 90, 90s, 5m, 1h',
    variable: 'GWTOKEN_MIN_TTL',
    configKey: 'min-ttl',
  },
  timeout: {
    name: 'timeout',
    value: 'DURATION',
    group: 'fetch',
    help: 'limit for one attempt; all together take at most three times that',
    variable: 'GWTOKEN_TIMEOUT',
    configKey: 'timeout',
  },
  retries: {
    name: 'retries',
    value: 'N',
    group: 'fetch',
    help: 'how often a failed attempt is repeated',
    variable: 'GWTOKEN_RETRIES',
    configKey: 'retries',
  },
  cache: {
    name: 'cache',
    negative: 'only',
    group: 'fetch',
    help: 'neither read nor write the token cache',
    variable: 'GWTOKEN_NO_CACHE=1',
    configKey: 'cache',
  },
  caFile: {
    name: 'ca-file',
    value: 'FILE',
    group: 'fetch',
    help: 'PEM file of further certificate authorities',
    variable: 'GWTOKEN_CA_FILE',
    configKey: 'ca-file',
  },
  prefix: {
    name: 'prefix',
    value: 'PREFIX',
    group: 'output',
    help: "what the variables' names begin with instead of GWTOKEN_",
  },
  verbose: { name: 'verbose', short: 'v', group: 'general', help: 'tell on stderr what is done and why' },
} as const satisfies Record<string, Flag>;

const CLIENT: readonly Flag[] = [flags.region, flags.sandbox, flags.profile, flags.authUrl];
const FETCH: readonly Flag[] = [flags.minTtl, flags.timeout, flags.retries, flags.cache, flags.caFile];
const VERBOSE: readonly Flag[] = [flags.verbose];
const JSON_OUTPUT: Flag = { name: 'json', group: 'output', help: 'print one JSON object' };

/** The flags of each command, in the order of its help. */
export const COMMAND_FLAGS = {
  get: [
    ...CLIENT,
    ...FETCH,
    { name: 'format', value: 'FORMAT', group: 'output', help: 'token (default), json, header or curl' },
    { name: 'fresh', group: 'output', help: 'only a token asked for after this call began' },
    ...VERBOSE,
  ],
  env: [
    ...CLIENT,
    ...FETCH,
    {
      name: 'format',
      value: 'FORMAT',
      group: 'output',
      help: 'sh (default), fish, csh, powershell, cmd, nu, elvish, json, dotenv, docker, github-env, github-output or azure',
    },
    flags.prefix,
    { name: 'unset', group: 'output', help: 'remove the variables; needs no client' },
    ...VERBOSE,
  ],
  exec: [
    ...CLIENT,
    ...FETCH,
    flags.prefix,
    {
      name: 'token-file',
      group: 'output',
      help: 'also keep a valid token in a file, named in GWTOKEN_TOKEN_FILE',
    },
    ...VERBOSE,
  ],
  login: [
    ...CLIENT,
    {
      name: 'client-id',
      value: 'ID',
      group: 'client',
      help: 'the client id (asked for on a terminal when missing)',
    },
    { name: 'secret-stdin', group: 'client', help: 'read the client secret from stdin' },
    { name: 'no-verify', group: 'client', help: 'store without fetching a token first' },
    ...FETCH,
    ...VERBOSE,
  ],
  logout: [
    ...CLIENT,
    { name: 'all', group: 'client', help: 'every known client' },
    { name: 'yes', short: 'y', group: 'general', help: 'do not ask' },
    ...VERBOSE,
  ],
  status: [
    ...CLIENT,
    ...FETCH,
    {
      name: 'check',
      group: 'general',
      help: 'read the credentials and ask the endpoint with them',
    },
    JSON_OUTPUT,
    ...VERBOSE,
  ],
  doctor: [...CLIENT, ...FETCH, JSON_OUTPUT, ...VERBOSE],
  config: [
    { name: 'profile', short: 'p', value: 'NAME', group: 'client', help: 'the keys of this profile alone' },
    ...VERBOSE,
  ],
  plain: VERBOSE,
} as const satisfies Record<string, readonly Flag[]>;

export type CommandName = keyof typeof COMMAND_FLAGS;
