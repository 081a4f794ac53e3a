import { checkProfile } from '../client';
import { usage } from '../errors';
import { configured, resolve } from '../settings/resolve';
import {
  checkConfigKey,
  checkConfigValue,
  configKeys,
  type FlagValues,
  SETTINGS,
  settingOf,
} from '../settings/table';
import { messageOf, systemCode } from '../system-errors';
import type { Config, ConfigValues, World } from '../world';
import type { Command } from './command';
import { type Flag, JSON_OUTPUT, VERBOSE } from './flags';

const PROFILE: Flag = {
  name: 'profile',
  short: 'p',
  value: 'NAME',
  group: 'client',
  help: "only this profile's settings",
};
const FLAGS: readonly Flag[] = [PROFILE, VERBOSE];
const completions = { key: configKeys() };

export const configCommand: Command = {
  name: 'config',
  summary: 'view and change settings',
  flags: [],
  group: 'setup',
  examples: [
    { line: 'gwtoken config set region eu', does: 'make eu the default region' },
    { line: 'gwtoken config list', does: 'list the settings in the config file' },
  ],
  subcommands: [
    {
      name: 'list',
      summary: 'list the settings in the config file',
      flags: [PROFILE, JSON_OUTPUT, VERBOSE],
      examples: [{ line: 'gwtoken config list --profile acme', does: "list profile acme's settings" }],
      async run(flags, world) {
        const only = flagProfile(flags);
        const config = world.config.read();
        if (flags['json'] === true) {
          const { general, profiles } = config;
          const own = only !== undefined && Object.hasOwn(profiles, only) ? profiles[only] : {};
          const shown = only === undefined ? { ...general, profiles } : own;
          world.stdout.write(`${JSON.stringify(shown)}\n`);
        } else {
          const text = sectionsOf(config, only).join('\n');
          world.stdout.write(text);
          if (text === '')
            world.stderr.write(
              only === undefined
                ? `Nothing is set in ${config.path}\n`
                : `Profile ${only} has no settings of its own.\n`,
            );
        }
      },
    },
    {
      name: 'get',
      args: '<key>',
      summary: "print a setting (the profile's value, or the general one)",
      flags: FLAGS,
      values: completions,
      examples: [{ line: 'gwtoken config get auth-url.eu', does: 'print the EU auth URL' }],
      async run(flags, world, key = '') {
        checkConfigKey(key);
        const config = world.config.read();
        const profile = resolve(SETTINGS.profile, { flags, env: world.env, config }).value;
        const found = configured([key], config, profile);
        const hint = `to set it, run: gwtoken config set ${key} VALUE`;
        if (!found) throw usage(`${key} is not set in ${config.path}`, hint);
        world.stdout.write(`${found.text}\n`);
      },
    },
    {
      name: 'set',
      args: '<key> <value>',
      summary: 'change a setting (with --profile: for that profile only)',
      flags: FLAGS,
      values: { ...completions, value: ([key = '']) => settingOf(key)?.values ?? [] },
      examples: [
        { line: 'gwtoken config set region eu', does: 'make eu the default region' },
        {
          line: "gwtoken config set auth-url 'https://identity.{region}.example.com'",
          does: 'one auth URL for both regions',
        },
        { line: 'gwtoken config set min-ttl 10m --profile acme', does: 'only for profile acme' },
      ],
      async run(flags, world, key = '', text = '') {
        const profile = flagProfile(flags);
        checkConfigValue(key, text, profile);
        const value = settingOf(key)?.isPath ? existingPath(text, world) : text;
        await world.config.edit([{ profile, key, value }]);
        await dropTokensOf(key, profile, world);
      },
    },
    {
      name: 'unset',
      args: '<key>',
      summary: 'remove a setting (with --profile: from that profile only)',
      flags: FLAGS,
      values: completions,
      examples: [
        { line: 'gwtoken config unset min-ttl --profile acme', does: 'use the general value again' },
      ],
      async run(flags, world, key = '') {
        const profile = flagProfile(flags);
        const config = world.config.read();
        const values = profile === undefined ? config.general : (config.profiles[profile] ?? {});
        // A key that gwtoken does not know can be removed too: that is how to fix such a file.
        if (!Object.hasOwn(values, key)) checkConfigKey(key);
        else {
          await world.config.edit([{ profile, key, value: undefined }]);
          await dropTokensOf(key, profile, world);
        }
      },
    },
    {
      name: 'path',
      summary: 'print the path of the config file',
      flags: [VERBOSE],
      examples: [{ line: 'gwtoken config path', does: 'show where the config file is' }],
      async run(_, world) {
        world.stdout.write(`${world.config.path()}\n`);
      },
    },
  ],
};

/** Returns the absolute path of a file, which has to be there. */
function existingPath(
  path: string,
  { absolutePath, readFile }: Pick<World, 'absolutePath' | 'readFile'>,
): string {
  const absolute = absolutePath(path);
  try {
    readFile(absolute, FILE_LIMIT);
    return absolute;
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT') throw usage(`no such file: ${absolute}`, 'check the path');
    throw usage(`${absolute} cannot be read (${code ?? messageOf(error)})`, 'name a file that you can read');
  }
}

const FILE_LIMIT = 4 * 1024 * 1024;

/** Removes the tokens of another credential command: they must not be used any more. */
async function dropTokensOf(
  key: string,
  profile: string | undefined,
  { tokens }: Pick<World, 'tokens'>,
): Promise<void> {
  if (key === 'credential-command')
    await tokens.remove((client) => profile === undefined || client.profile === profile);
}

/** Returns the profile of `--profile`: a key set with it holds for that profile only. */
function flagProfile(flags: FlagValues): string | undefined {
  const name = flags['profile'];
  return typeof name === 'string' ? checkProfile(name, '--profile') : undefined;
}

/** Returns the general values and each profile's as text, or those of one profile. */
function sectionsOf({ general, profiles }: Config, only: string | undefined): string[] {
  const lines = (values: ConfigValues): string =>
    Object.entries(values)
      .map(([key, value]) => `${key} = ${value}\n`)
      .join('');
  const named = Object.entries(profiles).filter(([name]) => only === undefined || name === only);
  const sections = named.map(([name, values]) => `[profile ${name}]\n${lines(values)}`);
  return only === undefined && Object.keys(general).length > 0 ? [lines(general), ...sections] : sections;
}
