/** The places that a setting's text is looked for in, each find with the name of its source. */

import type { Config } from '../world/files';
import type { Env } from '../world/streams';
import type { FlagValues, Setting, Source } from './setting';

/** A setting as it was written somewhere, not yet parsed. */
export interface Written {
  readonly text: string;
  readonly source: Source;
}

export const DEFAULT: Source = { kind: 'default', name: 'default' };

export function read<T>(
  found: Written | undefined,
  parse: (text: string, where: string) => T,
): Setting<T> | undefined {
  return found && { value: parse(found.text, found.source.name), source: found.source };
}

export function fromFlag(flags: FlagValues, name: string): Written | undefined {
  const value = flags[name];
  return typeof value === 'string' ? { text: value, source: { kind: 'flag', name: `--${name}` } } : undefined;
}

/** An empty variable counts as unset. */
export function fromVariable(env: Env, name: string): Written | undefined {
  const value = env[name];
  return value ? { text: value, source: { kind: 'variable', name } } : undefined;
}

export function fromGeneral(config: Config, key: string): Written | undefined {
  const value = config.general[key];
  return value === undefined
    ? undefined
    : { text: String(value), source: { kind: 'config', name: `${key} in ${config.path}` } };
}

/** The profile's specific key, its general one, then the general values' specific and general. */
export function fromConfig(config: Config, profile: string, keys: readonly string[]): Written | undefined {
  const own = config.profiles[profile];
  for (const key of keys) {
    const value = own?.[key];
    if (value !== undefined) {
      return {
        text: String(value),
        source: { kind: 'config', name: `${key} of profile ${profile} in ${config.path}` },
      };
    }
  }
  for (const key of keys) {
    const found = fromGeneral(config, key);
    if (found) return found;
  }
  return undefined;
}
