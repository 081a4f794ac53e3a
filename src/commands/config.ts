import { profileFlag } from '../client';
import { messageOf, usage } from '../errors';
import { findInConfig } from '../settings/resolve';
import { checkConfigKey, checkConfigValue, type FlagValues } from '../settings/table';
import { parseProfile } from '../settings/values';
import { warn } from '../text';
import type { Config, ConfigValues, World } from '../world';

type Args = readonly string[];

export async function listSettings(flags: FlagValues, world: World): Promise<void> {
  const only = flagProfile(flags);
  const text = sectionsOf(world.config.read(), only).join('\n');
  if (text !== '') world.stdout.write(text);
  else if (only === undefined) world.stderr.write(`Nothing is set in ${world.config.path()}\n`);
  else world.stderr.write(`Profile ${only} has no settings of its own.\n`);
}

export async function printSetting(flags: FlagValues, world: World, [key = '']: Args): Promise<void> {
  checkConfigKey(key);
  const profile = flagProfile(flags);
  const found = findInConfig([key], world.config.read(), profile);
  if (!found)
    throw usage(`${key} is not set in ${world.config.path()}`, [
      `to set it, run: gwtoken config set ${key} VALUE${profileFlag(profile)}`,
    ]);
  world.stdout.write(`${found.text}\n`);
}

export async function changeSetting(
  flags: FlagValues,
  world: World,
  [key = '', text = '']: Args,
): Promise<void> {
  const profile = flagProfile(flags);
  const { isPath } = checkConfigValue(key, text, profile);
  const value = isPath ? world.absolutePath(text) : text;
  await world.config.edit({ profile, key, value });
  if (key === 'ca-file') await world.checkCaFile(value).catch((error) => warn(world, messageOf(error)));
}

export async function removeSetting(flags: FlagValues, world: World, [key = '']: Args): Promise<void> {
  const profile = flagProfile(flags);
  const config = world.config.read();
  const values = profile === undefined ? config.general : (config.profiles[profile] ?? {});
  // A key that gwtoken does not know can be removed too: that is how to fix such a file.
  if (!Object.hasOwn(values, key)) {
    checkConfigKey(key);
    return;
  }
  await world.config.edit({ profile, key, value: undefined });
}

export async function printPath(_: FlagValues, world: World): Promise<void> {
  world.stdout.write(`${world.config.path()}\n`);
}

/** Returns the profile of `--profile`: a key set with it holds for that profile only. */
function flagProfile(flags: FlagValues): string | undefined {
  return flags.profile === undefined ? undefined : parseProfile(flags.profile, '--profile');
}

/** Returns the general values and each profile's as text, or those of one profile. */
function sectionsOf({ general, profiles }: Config, only: string | undefined): string[] {
  const lines = (values: ConfigValues): string =>
    Object.entries(values)
      .map(([key, value]) => `${key} = ${typeof value === 'object' ? JSON.stringify(value) : value}\n`)
      .join('');
  const named = Object.entries(profiles).filter(([name]) => only === undefined || name === only);
  const sections = named.map(([name, values]) => `[profile ${name}]\n${lines(values)}`);
  return only === undefined && Object.keys(general).length > 0 ? [lines(general), ...sections] : sections;
}
