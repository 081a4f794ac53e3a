import { profileFlag } from '../client';
import { usage } from '../errors';
import { findInConfig } from '../settings/resolve';
import { checkConfigKey, checkConfigValue, type FlagValues } from '../settings/table';
import { parseProfile } from '../settings/values';
import type { ConfigValues, World } from '../world';

type Args = readonly string[];

export async function listSettings(flags: FlagValues, world: World): Promise<void> {
  const only = flagProfile(flags);
  const { general, profiles } = world.config.read();
  const sections = Object.entries(profiles)
    .filter(([name]) => only === undefined || name === only)
    .map(([name, values]) => `[profile ${name}]\n${linesOf(values)}`);
  if (only === undefined && Object.keys(general).length > 0) sections.unshift(linesOf(general));
  if (sections.length > 0) world.stdout.write(sections.join('\n'));
  else world.stderr.write(`Nothing is set in ${world.config.path()}\n`);
}

function linesOf(values: ConfigValues): string {
  return Object.entries(values)
    .map(([key, value]) => `${key} = ${typeof value === 'object' ? JSON.stringify(value) : value}\n`)
    .join('');
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
  await world.config.edit({ profile, key, value: isPath ? world.absolutePath(text) : text });
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
