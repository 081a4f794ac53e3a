import { chmodSync, chownSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type Bad, testRefusals } from '../harness/homes/refusals';

const config = (text: string): Pick<Bad, 'files'> => ({ files: { 'config/gwtoken/config.json': text } });

const FIX = /\nhint: fix or delete \S+config\.json\n$/;

const TABLE: Readonly<Record<string, Bad>> = {
  'a config file that others can write': {
    ...config('{}'),
    before: (folder) => chmodSync(join(folder, 'config/gwtoken/config.json'), 0o666),
    says: ['config.json', 'is writable by other users (mode 666)', 'chmod go-w'],
  },
  'config set on one: its content is not made trusted': {
    ...config('{"credential-command":"evil"}'),
    before: (folder) => chmodSync(join(folder, 'config/gwtoken/config.json'), 0o620),
    args: ['config', 'set', 'retries', '1'],
    says: ['is writable by other users (mode 620)'],
  },
  'a config file of another user': {
    ...config('{}'),
    before: (folder) => chownSync(join(folder, 'config/gwtoken/config.json'), 1234, 1234),
    says: ['config.json', 'belongs to another user (uid 1234)', 'GWTOKEN_CONFIG_DIR'],
  },
  'config set in another user’s home': {
    before: (folder) => chownSync(folder, 1234, 1234),
    args: ['config', 'set', 'retries', '1'],
    says: ['belongs to another user (uid 1234)'],
  },
  'login in another user’s home': {
    before: (folder) => chownSync(folder, 1234, 1234),
    args: ['login', '--client-id', 'x', '--secret-stdin'],
    stdin: 'x',
    says: ['belongs to another user (uid 1234)'],
  },
  'a folder in place of the config file': {
    before: (folder) => mkdirSync(join(folder, 'config/gwtoken/config.json'), { recursive: true }),
    says: ['config.json', 'is not a regular file', FIX],
  },
  'a link to nowhere in place of the config file': {
    before: (folder) => {
      mkdirSync(join(folder, 'config/gwtoken'), { recursive: true });
      symlinkSync('../../dotfiles/config.json', join(folder, 'config/gwtoken/config.json'));
    },
    args: ['config', 'set', 'retries', '1'],
    code: 1,
    says: ['is a broken symlink to ../../dotfiles/config.json'],
  },
  'a config file that is not JSON': {
    ...config('{"hidden":'),
    says: ['config.json', 'contains invalid JSON', FIX],
  },
  'config set on one': {
    ...config('{"hidden":'),
    args: ['config', 'set', 'retries', '1'],
    says: ['contains invalid JSON'],
  },
  'a config file of more than a megabyte': {
    ...config(`{"region":"eu"${' '.repeat(1024 * 1024)}}`),
    says: ['config.json', 'is larger than 1 MiB', FIX],
  },
  'a config file that is a list': { ...config('[1]'), says: ['must contain a JSON object', FIX] },
  'a config file with a nested value': {
    ...config('{"auth-url":{"eu":"hidden"}}'),
    says: ['has an invalid value for "auth-url" (use a string, number or boolean)', FIX],
  },
  'profiles that are none': {
    ...config('{"profiles":"x"}'),
    args: ['config', 'set', 'retries', '1'],
    says: ['has an invalid value for "profiles" (use a JSON object)'],
  },
  'a config file with an unknown key': {
    ...config('{"regoin":"eu"}'),
    says: ['"regoin"', 'config.json', 'gwtoken config unset regoin'],
  },
  'a profile with a key that it cannot have': {
    ...config('{"profiles":{"a":{"cache":"off"}}}'),
    says: ['cache', '(a)', 'gwtoken config unset cache --profile a'],
  },
  'config set of an unknown key': {
    args: ['config', 'set', 'regoin', 'eu'],
    says: ['"regoin"', 'valid keys: region, '],
  },
  'config set of a credential': {
    args: ['config', 'set', 'client-secret', 'hidden'],
    says: ['gwtoken login'],
  },
  'config set of __proto__': { args: ['config', 'set', '__proto__', 'x'], says: ['"__proto__"'] },
  'config set of a bad value': {
    args: ['config', 'set', 'auth-url.us', 'us.example.com'],
    says: ['the command line', 'did you mean https://us.example.com?'],
  },
  'config set of a key that no profile has': {
    args: ['config', 'set', 'cache', 'off', '-p', 'a'],
    says: ['cache', 'gwtoken config set cache VALUE'],
  },
  'config get of an unknown key': { args: ['config', 'get', 'regoin'], says: ['"regoin"'] },
  'config get of what has no value': {
    args: ['config', 'get', 'region'],
    says: ['config.json', 'gwtoken config set region VALUE'],
  },
  'config unset of an unknown key': { args: ['config', 'unset', 'regoin'], says: ['"regoin"'] },
  'config with nothing': {
    args: ['config'],
    says: ['missing subcommand: list, get, set, unset or path'],
  },
  'config with an unknown command': {
    args: ['config', 'add'],
    says: ['unknown command "add"', 'gwtoken config --help'],
  },
  'config get without a key': {
    args: ['config', 'get'],
    says: ['missing KEY: gwtoken config get KEY', 'gwtoken config get --help'],
  },
  'config set with a value in two words': {
    args: ['config', 'set', 'timeout', '5', 'm'],
    says: ['too many arguments: gwtoken config set KEY VALUE', 'quote'],
  },
  'an unknown flag': {
    args: ['get', '--regoin', 'eu'],
    says: ['unknown option "--regoin"', 'did you mean: gwtoken get --region eu', 'gwtoken get --help'],
  },
  'a flag that would take a secret': {
    args: ['login', '--client-secret=hidden'],
    says: ['unknown option "--client-secret"', '--secret-stdin'],
  },
  'an unknown command': {
    args: ['gett'],
    says: ['unknown command "gett"', 'did you mean: gwtoken get', 'gwtoken --help'],
  },
  'an unknown command on two lines': { args: ['x\nhint: y'], says: ['unknown command "x\\nhint: y"'] },
  'a flag without its value': { args: ['get', '--region'], says: ['--region needs a value'] },
  'an argument where none belongs': {
    args: ['login', 'id', 'hidden'],
    says: ['gwtoken login takes no arguments'],
  },
  'help behind a command: the line that is meant is only tried': {
    args: ['get', 'help'],
    says: ['gwtoken get takes no arguments', 'did you mean: gwtoken get --help'],
  },
  'an unknown format': {
    args: ['get', '--format', 'yaml'],
    says: ['"yaml"', '--format', 'token, json, header, curl'],
  },
};

testRefusals('a bad config file, and bad usage', TABLE);
