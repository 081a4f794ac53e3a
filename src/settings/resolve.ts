/**
 * Settings of contract section 2: flag, then environment variable, then config file, then default. Each value knows
 * where it came from. No I/O: the quick way and the CLI both resolve with this file.
 */

import { type Client, checkProfile, DEFAULT_PROFILE, type Environment, type Region } from '../client';
import { GwtokenError } from '../errors';
import type { WarmWorld } from '../world/world';
import { parseAuthUrl } from './auth-url';
import { checkConfigKey } from './config-keys';
import { firstRunHints } from './first-run';
import { DEFAULT, fromConfig, fromFlag, fromGeneral, fromVariable, read, type Written } from './lookup';
import type { AuthUrl, FlagValues, Given, Setting } from './setting';
import { parseRegion, parseSwitch } from './values';

/** Gathers the places that settings come from. A key of the config file that does not exist is a `usage` error. */
export function gather(flags: FlagValues, world: Pick<WarmWorld, 'env' | 'config'>): Given {
  const config = world.config.read();
  for (const key of Object.keys(config.general)) checkConfigKey(key, config.path);
  for (const [profile, own] of Object.entries(config.profiles)) {
    checkProfile(profile, `profiles in ${config.path}`);
    for (const key of Object.keys(own)) checkConfigKey(key, `profile ${profile} in ${config.path}`, profile);
  }
  return { flags, env: world.env, config };
}

export function resolveProfile({ flags, env, config }: Given): Setting<string> {
  const found =
    fromFlag(flags, 'profile') ?? fromVariable(env, 'GWTOKEN_PROFILE') ?? fromGeneral(config, 'profile');
  if (!found) return { value: DEFAULT_PROFILE, source: DEFAULT };
  return { value: checkProfile(found.text, found.source.name), source: found.source };
}

export function resolveEnvironment(given: Given, profile: string): Setting<Environment> {
  const { flags, env, config } = given;
  if (typeof flags['sandbox'] === 'boolean') {
    const name = flags['sandbox'] ? '--sandbox' : '--no-sandbox';
    return { value: flags['sandbox'] ? 'sandbox' : 'production', source: { kind: 'flag', name } };
  }
  const found = read(
    fromVariable(env, 'GWTOKEN_SANDBOX') ?? fromConfig(config, profile, ['sandbox']),
    parseSwitch,
  );
  return found
    ? { value: found.value ? 'sandbox' : 'production', source: found.source }
    : { value: 'production', source: DEFAULT };
}

/** The region, or undefined when none is given anywhere: login asks for it then. */
export function resolveRegion({ flags, env, config }: Given, profile: string): Setting<Region> | undefined {
  return read(
    fromFlag(flags, 'region') ??
      fromVariable(env, 'GWTOKEN_REGION') ??
      fromConfig(config, profile, ['region']),
    parseRegion,
  );
}

export interface ClientSettings {
  readonly client: Client;
  readonly profile: Setting<string>;
  readonly environment: Setting<Environment>;
  readonly region: Setting<Region>;
}

/** The client that the command works on. Without a region it throws a `usage` error naming the three ways to give one. */
export function resolveClient(given: Given): ClientSettings {
  const profile = resolveProfile(given);
  const environment = resolveEnvironment(given, profile.value);
  const region = resolveRegion(given, profile.value);
  if (!region) {
    const empty = given.env['GWTOKEN_REGION'] === '' ? ' (GWTOKEN_REGION is set but empty)' : '';
    throw new GwtokenError('usage', `no region given${empty}`, {
      hints: [
        ...firstRunHints(given),
        'use --region eu or --region us, set GWTOKEN_REGION, or run: gwtoken config set region eu',
      ],
    });
  }
  return {
    client: { profile: profile.value, environment: environment.value, region: region.value },
    profile,
    environment,
    region,
  };
}

/**
 * The auth URL for a client, or undefined when none is given anywhere. With the sandbox, names with SANDBOX are looked
 * up first, in variables and then in the config, and win over any without.
 *
 * @param verified an address that has come out of the checks before. They would give it back as it is, so the same text
 * is not checked again: it costs a warm run more than reading the cache.
 */
export function resolveAuthUrl(
  { flags, env, config }: Given,
  client: Client,
  verified?: string,
): AuthUrl | undefined {
  const { region, profile, environment } = client;
  const named = (prefix: string, key: string): Written | undefined =>
    fromVariable(env, `GWTOKEN_${prefix}AUTH_URL_${region.toUpperCase()}`) ??
    fromVariable(env, `GWTOKEN_${prefix}AUTH_URL`) ??
    fromConfig(config, profile, [`${key}.${region}`, key]);

  const found =
    fromFlag(flags, 'auth-url') ??
    (environment === 'sandbox' ? named('SANDBOX_', 'sandbox.auth-url') : undefined) ??
    named('', 'auth-url');
  if (!found) return undefined;
  const { text: template, source } = found;
  const isVerified = template.replaceAll('{region}', region) === verified;
  return { value: isVerified ? verified : parseAuthUrl(template, source.name, region), template, source };
}

/** The auth URL for a client; without one it throws a `usage` error that says how to set it. */
export function requireAuthUrl(given: Given, client: Client, verified?: string): AuthUrl {
  const found = resolveAuthUrl(given, client, verified);
  if (found) return found;
  const names = [`GWTOKEN_AUTH_URL_${client.region.toUpperCase()}`, 'GWTOKEN_AUTH_URL'];
  const empty = names.filter((name) => given.env[name] === '').map((name) => ` (${name} is set but empty)`);
  throw new GwtokenError('usage', `no auth URL given for region ${client.region}${empty.join('')}`, {
    hints: [
      ...firstRunHints(given, client),
      `run: gwtoken config set auth-url.${client.region} https://IDENTITY-ADDRESS`,
      `or use --auth-url URL, or set ${names.join(' or ')}`,
    ],
  });
}

/** The auth URL of the config file alone: what a keychain item made by hand is bound to (contract section 3). */
export function configAuthUrl(given: Given, client: Client): AuthUrl | undefined {
  return resolveAuthUrl({ flags: {}, env: {}, config: given.config }, client);
}
