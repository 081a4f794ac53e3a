import { chmodSync, chownSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type Bad, testRefusals } from '../harness/homes/refusals';

const config = (text: string): Pick<Bad, 'files'> => ({ files: { 'config/gwtoken/config.json': text } });

const VALID_KEYS =
  'valid keys: region, sandbox, profile, auth-url, auth-url.eu, auth-url.us, sandbox.auth-url, sandbox.auth-url.eu, sandbox.auth-url.us, min-ttl, timeout, retries, cache, ca-file, keychain-timeout, credential-command';
const MEND = 'fix or delete FILE';
const AS_OWNER = 'run gwtoken as that user, or set GWTOKEN_CONFIG_DIR to a directory you own';

const TABLE: Readonly<Record<string, Bad>> = {
  'a config file that others can write': {
    ...config('{}'),
    before: (folder) => chmodSync(join(folder, 'config/gwtoken/config.json'), 0o666),
    says: ['config file FILE is writable by other users (mode 666)', 'run: chmod go-w FILE'],
  },
  'config set on one: its content is not made trusted': {
    ...config('{"credential-command":"evil"}'),
    before: (folder) => chmodSync(join(folder, 'config/gwtoken/config.json'), 0o620),
    args: ['config', 'set', 'retries', '1'],
    says: ['config file FILE is writable by other users (mode 620)', 'run: chmod go-w FILE'],
  },
  'a config file of another user': {
    ...config('{}'),
    before: (folder) => chownSync(join(folder, 'config/gwtoken/config.json'), 1234, 1234),
    says: ['config file FILE belongs to another user (uid 1234)', AS_OWNER],
  },
  'config set in another user’s home': {
    before: (folder) => chownSync(folder, 1234, 1234),
    args: ['config', 'set', 'retries', '1'],
    says: ['DIR belongs to another user (uid 1234); gwtoken will not write to it', AS_OWNER],
  },
  'login in another user’s home': {
    before: (folder) => chownSync(folder, 1234, 1234),
    args: ['login', '--client-id', 'x', '--secret-stdin'],
    stdin: 'x',
    says: ['DIR belongs to another user (uid 1234); gwtoken will not write to it', AS_OWNER],
  },
  'a folder in place of the config file': {
    before: (folder) => mkdirSync(join(folder, 'config/gwtoken/config.json'), { recursive: true }),
    says: ['config file FILE is not a regular file', MEND],
  },
  'a link to nowhere in place of the config file': {
    before: (folder) => {
      mkdirSync(join(folder, 'config/gwtoken'), { recursive: true });
      symlinkSync('../../dotfiles/config.json', join(folder, 'config/gwtoken/config.json'));
    },
    args: ['config', 'set', 'retries', '1'],
    code: 1,
    says: [
      'cannot write FILE (FILE is a broken symlink to ../../dotfiles/config.json)',
      'set GWTOKEN_CONFIG_DIR to a writable directory',
    ],
  },
  'a config file that is not JSON': {
    ...config('{"hidden":'),
    says: ['config file FILE contains invalid JSON', MEND],
  },
  'config set on one': {
    ...config('{"hidden":'),
    args: ['config', 'set', 'retries', '1'],
    says: ['config file FILE contains invalid JSON', MEND],
  },
  'a config file of more than a megabyte': {
    ...config(`{"region":"eu"${' '.repeat(1024 * 1024)}}`),
    says: ['config file FILE is larger than 1 MiB', MEND],
  },
  'a config file that is a list': {
    ...config('[1]'),
    says: ['config file FILE must contain a JSON object', MEND],
  },
  'a config file with a nested value': {
    ...config('{"auth-url":{"eu":"hidden"}}'),
    says: ['config file FILE has an invalid value for "auth-url" (use a string, number or boolean)', MEND],
  },
  'profiles that are none': {
    ...config('{"profiles":"x"}'),
    args: ['config', 'set', 'retries', '1'],
    says: ['config file FILE has an invalid value for "profiles" (use a JSON object)', MEND],
  },
  'a config file with an unknown key': {
    ...config('{"regoin":"eu"}'),
    says: [
      'unknown config key "regoin" (from FILE)',
      VALID_KEYS,
      'to remove it, run: gwtoken config unset regoin',
    ],
  },
  'a profile with a key that it cannot have': {
    ...config('{"profiles":{"a":{"cache":"off"}}}'),
    says: [
      'cache cannot be set per profile (a)',
      'to remove it, run: gwtoken config unset cache --profile a',
    ],
  },
  'config set of an unknown key': {
    args: ['config', 'set', 'regoin', 'eu'],
    says: ['unknown config key "regoin" (from the command line)', VALID_KEYS],
  },
  'config set of a credential': {
    args: ['config', 'set', 'client-secret', 'hidden'],
    says: [
      'unknown config key "client-secret" (from the command line)',
      'to store credentials, run: gwtoken login',
      VALID_KEYS,
    ],
  },
  'config set of __proto__': {
    args: ['config', 'set', '__proto__', 'x'],
    says: ['unknown config key "__proto__" (from the command line)', VALID_KEYS],
  },
  'config set of a bad value': {
    args: ['config', 'set', 'auth-url.us', 'us.example.com'],
    says: [
      'auth URL "us.example.com" (from the command line) is not a URL',
      'did you mean https://us.example.com?',
    ],
  },
  'config set of a key that no profile has': {
    args: ['config', 'set', 'cache', 'off', '-p', 'a'],
    says: ['cache cannot be set per profile (a)', 'omit --profile: gwtoken config set cache VALUE'],
  },
  'config get of an unknown key': {
    args: ['config', 'get', 'regoin'],
    says: ['unknown config key "regoin" (from the command line)', VALID_KEYS],
  },
  'config get of what has no value': {
    args: ['config', 'get', 'region'],
    says: ['region is not set in FILE', 'to set it, run: gwtoken config set region VALUE'],
  },
  'config unset of an unknown key': {
    args: ['config', 'unset', 'regoin'],
    says: ['unknown config key "regoin" (from the command line)', VALID_KEYS],
  },
  'config with nothing': {
    args: ['config'],
    says: ['missing subcommand: list, get, set, unset or path', 'for help, run: gwtoken config --help'],
  },
  'config with an unknown command': {
    args: ['config', 'add'],
    says: [
      'unknown command "add"',
      'did you mean: gwtoken config set …',
      'for help, run: gwtoken config --help',
    ],
  },
  'config get without a key': {
    args: ['config', 'get'],
    says: ['missing KEY: gwtoken config get KEY', 'for help, run: gwtoken config get --help'],
  },
  'config set with a value in two words': {
    args: ['config', 'set', 'timeout', '5', 'm'],
    says: [
      'too many arguments: gwtoken config set KEY VALUE',
      'quote values that contain spaces',
      'for help, run: gwtoken config set --help',
    ],
  },
  'an unknown flag': {
    args: ['get', '--regoin', 'eu'],
    says: [
      'unknown option "--regoin"',
      'did you mean: gwtoken get --region eu',
      'for help, run: gwtoken get --help',
    ],
  },
  'a flag that would take a secret': {
    args: ['login', '--client-secret=hidden'],
    says: [
      'unknown option "--client-secret"',
      'secrets are never passed as flags: gwtoken login prompts for it, or use --secret-stdin',
      'for help, run: gwtoken login --help',
    ],
  },
  'an unknown command': {
    args: ['gett'],
    says: ['unknown command "gett"', 'did you mean: gwtoken get', 'for help, run: gwtoken --help'],
  },
  'an unknown command on two lines': {
    args: ['x\nhint: y'],
    says: ['unknown command "x\\nhint: y"', 'for help, run: gwtoken --help'],
  },
  'a flag without its value': {
    args: ['get', '--region'],
    says: ['--region needs a value', 'for help, run: gwtoken get --help'],
  },
  'an argument where none belongs': {
    args: ['login', 'id', 'hidden'],
    says: ['gwtoken login takes no arguments', 'for help, run: gwtoken login --help'],
  },
  'help behind a command: the line that is meant is only tried': {
    args: ['get', 'help'],
    says: [
      'gwtoken get takes no arguments',
      'did you mean: gwtoken get --help',
      'for help, run: gwtoken get --help',
    ],
  },
  'an unknown format': {
    args: ['get', '--format', 'yaml'],
    says: ['unknown format "yaml" (from --format)', 'use one of: token, json, header, curl'],
  },
};

testRefusals('a bad config file, and bad usage', TABLE);
