/** The grammar: every command with its arguments, flags and texts, in the order of the help. */
import { type FlagValues, SETTINGS } from '../settings/table';
import type { World } from '../world';
import {
  CLIENT_FLAGS,
  CLIENT_NAME_FLAGS,
  ENV_FLAGS,
  FETCH_FLAGS,
  type Flag,
  FRESH,
  flag,
  GET_FLAGS,
  JSON_OUTPUT,
  PREFIX,
  VARIABLE,
} from './flags';

export interface Command {
  readonly name: string;
  /** Names of the arguments, for the usage line: `<KEY>` is required, `[SECTION...]` can have many words. */
  readonly args?: string;
  readonly summary: string;
  /** Heading in the help of the program; absent for a subcommand. */
  readonly group?: 'Get a token:' | 'Manage clients:' | 'Setup and troubleshooting:';
  readonly flags: readonly Flag[];
  /** Command lines that work when they are copied, each with its effect. */
  readonly examples: Readonly<Record<string, string>>;
  readonly subcommands?: readonly Command[];
  /** True if the caller's shell runs what is printed, and so must also fail if gwtoken does. */
  readonly evaluated?: true;
  /** Start of another program's command line: an argument or, with `flags`, also a flag that is not ours. */
  readonly passThrough?: 'arguments' | 'flags';
  /** Loads the command's code. Absent for `help`, and for a command that has subcommands. */
  load?(): Promise<Run>;
}

/**
 * Runs a command with its arguments, or with the words of the program that it starts. Resolves with the exit
 * code if that is not always 0.
 */
type Run = (flags: FlagValues, world: World, args: readonly string[]) => Promise<number> | Promise<void>;

const PROFILE = flag('Client:', '-p, --profile <NAME>', 'settings of this profile');

/** Flags of the commands that always request a token, and do not cache it. */
const UNCACHED_FETCH_FLAGS = FETCH_FLAGS.filter(({ row }) => row !== SETTINGS.cache);

/** The shells that have a completion script, each with the line that sets it up. */
const COMPLETION = [
  ['bash', { 'eval "$(gwtoken completion bash)"': 'in ~/.bashrc' }],
  ['zsh', { 'eval "$(gwtoken completion zsh)"': 'in ~/.zshrc, after compinit' }],
  ['fish', { 'gwtoken completion fish | source': 'in ~/.config/fish/config.fish' }],
  ['powershell', { 'gwtoken completion powershell | Out-String | Invoke-Expression': 'in $PROFILE' }],
] as const;

export const COMMANDS: readonly Command[] = [
  {
    name: 'get',
    summary: 'print a valid access token',
    group: 'Get a token:',
    flags: GET_FLAGS,
    examples: {
      'gwtoken get --region eu': "print the EU client's token",
      'gwtoken get --format json --fresh': 'request a new token and print its details',
      'gwtoken get --format curl | curl -K - https://gateway.example.com/':
        'call the gateway; the token never appears in the process list',
    },
    load: async () => (await import('./get')).printToken,
  },
  {
    name: 'env',
    summary: 'print commands that export the token to your shell',
    group: 'Get a token:',
    flags: ENV_FLAGS,
    examples: {
      'eval $(gwtoken env --region eu)':
        'set GWTOKEN_ACCESS_TOKEN and related variables (sh, bash, zsh, ksh)',
      'gwtoken env --format fish | source': 'the same in fish; other shells: gwtoken help shells',
      'eval $(gwtoken env --region us --prefix US_)': 'add a second token as US_ACCESS_TOKEN',
    },
    evaluated: true,
    load: async () => (await import('./env')).printStatements,
  },
  {
    name: 'exec',
    args: '<COMMAND> [ARGS...]',
    summary: 'run a command with a token in environment variables',
    group: 'Get a token:',
    flags: [
      ...CLIENT_FLAGS,
      ...FETCH_FLAGS,
      PREFIX,
      VARIABLE,
      FRESH,
      flag('Output:', '--token-file <FILE>', 'also keep a valid token in FILE; removed at the end'),
    ],
    examples: {
      'gwtoken exec --region eu -- ./deploy.sh': 'run ./deploy.sh with GWTOKEN_ACCESS_TOKEN set',
      "gwtoken exec -- sh -c 'echo $GWTOKEN_EXPIRES_AT'":
        'single quotes: the sh that exec starts inserts the value',
      'gwtoken exec --variable API_TOKEN -- ./app': 'run ./app with the token in API_TOKEN',
      'gwtoken exec --min-ttl 30m -- ./migrate': 'require a token for 30 min: the variable is not renewed',
      'gwtoken exec --token-file ./token -- ./serve': 'also write the token to ./token, and renew it there',
    },
    passThrough: 'arguments',
    load: async () => (await import('./exec/exec')).runCommand,
  },
  {
    name: 'curl',
    args: "<URL|/PATH> [curl's options]",
    summary: 'run curl with a token in its Authorization header',
    group: 'Get a token:',
    flags: [...CLIENT_FLAGS, ...FETCH_FLAGS, FRESH],
    examples: {
      'gwtoken curl /orders': 'call the gateway: its URL is the config key api-url',
      'gwtoken curl -r us https://gateway.example.com/orders -d @order.json':
        "options of curl's own follow gwtoken's",
    },
    passThrough: 'flags',
    load: async () => (await import('./exec/curl')).runCurl,
  },
  {
    name: 'login',
    summary: "verify a client's credentials and store them in the keychain",
    group: 'Manage clients:',
    flags: [
      ...CLIENT_FLAGS,
      flag('Client:', '--client-id <ID>', 'client ID (prompted for if omitted)'),
      flag('Client:', '--secret-stdin', 'read the client secret from stdin'),
      flag('Client:', '--no-verify', 'store without verifying first'),
      // The token only verifies the credentials, so its lifetime does not matter.
      ...UNCACHED_FETCH_FLAGS.filter(({ row }) => row !== SETTINGS.minTtlMs),
    ],
    examples: {
      'gwtoken login': 'prompt for everything',
      'gwtoken login --region us --auth-url https://identity.us.example.com':
        'add a client in another region',
      'gwtoken login --sandbox --secret-stdin <secret.txt':
        'replace the secret of a stored client, in a script',
    },
    load: async () => (await import('./login/login')).logIn,
  },
  {
    name: 'logout',
    summary: "remove a client's stored credentials and cached token",
    group: 'Manage clients:',
    flags: [
      ...CLIENT_NAME_FLAGS,
      flag('Client:', '--all', 'remove all stored clients and cached tokens'),
      flag('General:', '-y, --yes', 'skip the confirmation'),
    ],
    examples: {
      'gwtoken logout --region us': 'remove the US client',
      'gwtoken logout --all --yes': 'remove all stored clients without confirmation',
    },
    load: async () => (await import('./logout')).logOut,
  },
  {
    name: 'status',
    summary: 'list stored clients and show which one is selected',
    group: 'Manage clients:',
    flags: [...CLIENT_NAME_FLAGS, JSON_OUTPUT],
    examples: { 'gwtoken status': 'list stored clients, the selected one marked' },
    load: async () => (await import('./status')).showStatus,
  },
  {
    name: 'doctor',
    summary: 'request a token step by step, and show what fails',
    group: 'Setup and troubleshooting:',
    flags: [...CLIENT_FLAGS, ...UNCACHED_FETCH_FLAGS, JSON_OUTPUT],
    examples: {
      'gwtoken doctor': 'request a token, and say at which step it fails',
      'gwtoken doctor --json': 'for a bug report (contains no secrets or tokens)',
    },
    load: async () => (await import('./doctor')).showDiagnosis,
  },
  {
    name: 'config',
    summary: 'view and change settings',
    group: 'Setup and troubleshooting:',
    flags: [],
    examples: { 'gwtoken config list': 'list the settings in the config file' },
    subcommands: [
      {
        name: 'list',
        summary: 'list the settings in the config file',
        flags: [PROFILE],
        examples: { 'gwtoken config list --profile acme': "list profile acme's settings" },
        load: async () => (await import('./config')).listSettings,
      },
      {
        name: 'get',
        args: '<KEY>',
        summary: "print a setting (the profile's value, or the general one)",
        flags: [PROFILE],
        examples: { 'gwtoken config get auth-url.eu': 'print the EU auth URL' },
        load: async () => (await import('./config')).printSetting,
      },
      {
        name: 'set',
        args: '<KEY> <VALUE>',
        summary: 'change a setting (with --profile: for that profile only)',
        flags: [PROFILE],
        examples: {
          'gwtoken config set region eu': 'make eu the default region',
          "gwtoken config set auth-url 'https://identity.{region}.example.com'":
            'one auth URL for all regions',
          'gwtoken config set min-ttl 10m --profile acme': 'only for profile acme',
        },
        load: async () => (await import('./config')).changeSetting,
      },
      {
        name: 'unset',
        args: '<KEY>',
        summary: 'remove a setting (with --profile: from that profile only)',
        flags: [PROFILE],
        examples: { 'gwtoken config unset min-ttl --profile acme': 'use the general value again' },
        load: async () => (await import('./config')).removeSetting,
      },
      {
        name: 'path',
        summary: 'print the path of the config file',
        flags: [],
        examples: { 'gwtoken config path': 'show where the config file is' },
        load: async () => (await import('./config')).printPath,
      },
    ],
  },
  {
    name: 'completion',
    summary: 'print a shell completion script',
    group: 'Setup and troubleshooting:',
    flags: [],
    examples: Object.assign({}, ...COMPLETION.map(([, example]) => example)),
    subcommands: COMPLETION.map(([shell, examples]) => ({
      name: shell,
      summary: `print the script for ${shell}`,
      flags: [],
      examples,
      load: async () => (await import('./completion-scripts')).scriptPrinter(shell),
    })),
  },
  {
    // Has no `load`, because src/cli shows the help from this grammar.
    name: 'help',
    args: '[COMMAND|TOPIC] [SECTION...]',
    summary: 'show help for a command or topic',
    group: 'Setup and troubleshooting:',
    flags: [],
    examples: {
      'gwtoken help config set': 'help for a command',
      'gwtoken help ci': 'a topic: CI systems',
      'gwtoken help ci gitlab': 'one section of it',
    },
  },
];
