/** A refused command line: one error line, hints, exit code 2, and not a file changed. */
import { chmodSync, chownSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { treeOf } from '../harness/homes/files';
import { type Inside, inside } from '../harness/homes/in-process';
import { expectRefusal } from '../harness/homes/refusals';

interface Bad {
  readonly args?: readonly string[];
  readonly config?: string;
  readonly before?: (gw: Inside) => void;
  /** The error and its hints, with DIR for the home's directory and FILE for the config file. */
  readonly says: readonly string[];
}

const home = ({ config }: Inside): string => dirname(dirname(config));
const AS_OWNER = 'run gwtoken as its owner, or set GWTOKEN_CONFIG_DIR to a directory you own';
const NO_WRITE = 'DIR belongs to another user (uid 1234); gwtoken will not write to it';

const TABLE: Readonly<Record<string, Bad>> = {
  'a flag': { args: ['get', '-r', 'ap'], says: ['invalid region "ap" (from --region)', 'use eu or us'] },
  'a config file that is not JSON': {
    config: '{"hidden":',
    args: ['config', 'set', 'retries', '1'],
    says: ['config file FILE contains invalid JSON', 'fix or delete FILE'],
  },
  'config set in a file that others can write: its content is not made trusted': {
    config: '{"credential-command":"evil"}',
    before: ({ config }) => chmodSync(join(config, 'config.json'), 0o602),
    args: ['config', 'set', 'retries', '1'],
    says: ['config file FILE is writable by other users (mode 602)', 'run: chmod go-w FILE'],
  },
  'login in another user’s home': {
    before: (gw) => chownSync(home(gw), 1234, 1234),
    args: ['login', '--client-id', 'x', '--secret-stdin'],
    says: [NO_WRITE, AS_OWNER],
  },
  'an unknown command on two lines': {
    args: ['x\nhint: y'],
    says: ['unknown command "x\\nhint: y"', 'for help, run: gwtoken --help'],
  },
};

test.for(Object.entries(TABLE))('%s: refused, and nothing is changed', async ([, bad], { needs }) => {
  if (bad.before !== undefined) needs(String(bad.before).includes('chown') ? 'root' : 'posix');
  const gw = inside();
  gw.stdin = 'a secret';
  if (bad.config !== undefined) gw.configure(bad.config);
  bad.before?.(gw);
  const before = treeOf(home(gw));
  const result = await gw.cli(bad.args ?? ['get']);
  expectRefusal(result, 2);
  const said = result.stderr.replaceAll(join(gw.config, 'config.json'), 'FILE').replaceAll(home(gw), 'DIR');
  const [message, ...hints] = bad.says;
  expect(said).toBe(`gwtoken: error: ${message}\n${hints.map((hint) => `hint: ${hint}\n`).join('')}`);
  expect(treeOf(home(gw))).toEqual(before);
});
