import type { ConfigValues } from '../world/files';
import type { Given } from './setting';

/**
 * What is given for one setting of FetchSettings, by its config key: what is wrong with another does not matter then.
 */
export function only(name: string, { flags, env, config }: Given): Given {
  const variables = [
    `GWTOKEN_${name.toUpperCase().replaceAll('-', '_')}`,
    `GWTOKEN_NO_${name.toUpperCase()}`,
  ];
  const own = (values: ConfigValues): ConfigValues => pick(values, [name]);
  const profiles = Object.entries(config.profiles).map(
    ([profile, values]) => [profile, own(values)] as const,
  );
  return {
    flags: pick(flags, [name]),
    env: pick(env, variables),
    config: { ...config, general: own(config.general), profiles: Object.fromEntries(profiles) },
  };
}

function pick<T>(values: Readonly<Record<string, T>>, names: readonly string[]): Record<string, T> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));
}
