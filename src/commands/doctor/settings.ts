/** The settings with their sources, each read by itself, so that one bad value does not hide the others. */

import { DEFAULT_PROFILE } from '../../client';
import { credentialPlace } from '../../credentials/place';
import { attempt, GwtokenError } from '../../errors';
import { answerWithinMs } from '../../person';
import { type FetchSettings, resolveFetchSettings } from '../../settings/fetch-settings';
import { only } from '../../settings/one-setting';
import {
  gather,
  resolveClient,
  resolveEnvironment,
  resolveProfile,
  resolveRegion,
} from '../../settings/resolve';
import type { FlagValues, Given, Setting } from '../../settings/setting';
import type { Config } from '../../world/files';
import type { World } from '../../world/world';
import { type Check, section } from './check';

const { ok, warning, skipped, error: broken } = section('settings');

type Outside = Pick<World, 'env' | 'config'>;

/** What the other checks go by: a config file that cannot be read counts as an empty one. */
export function gatherLeniently(flags: FlagValues, { env, config }: Outside): Given {
  const empty: Config = { path: config.path() ?? 'no config file', general: {}, profiles: {} };
  const read = attempt(() => config.read());
  return { flags, env, config: read instanceof GwtokenError ? empty : read };
}

export function settingsChecks(given: Given, world: Outside): Check[] {
  const file = attempt(() => gather(given.flags, world));
  const profile = attempt(() => resolveProfile(given));
  const name = profile instanceof GwtokenError ? DEFAULT_PROFILE : profile.value;
  const region = attempt(() => resolveRegion(given, name));
  return [
    file instanceof GwtokenError ? broken('config file', file) : ok('config file', file.config.path),
    check('profile', () => resolveProfile(given), String),
    check('environment', () => resolveEnvironment(given, name), String),
    region === undefined
      ? warning('region', 'none: each command needs --region', 'run: gwtoken config set region eu')
      : check('region', () => resolveRegion(given, name), String),
    credentials(given, world),
    ...FETCH.map((setting) => setting(given, name)),
  ];
}

function credentials(given: Given, world: Outside): Check {
  const found = attempt(() => {
    const { client, profile } = resolveClient(given);
    return credentialPlace(given, client, profile.source, world);
  });
  // Without a region, or with a bad value, there is a line about that already.
  if (!(found instanceof GwtokenError)) return ok('credentials', `from ${found.name}`);
  return attempt(() => resolveClient(given)) instanceof GwtokenError
    ? skipped('credentials', 'not known without a region')
    : broken('credentials', found);
}

/** The settings of FetchSettings: how each is called, shown, and what it is when nothing gives it. */
const FETCH = [
  fetchCheck('min-ttl', 'minTtlMs', seconds, "300 s, or a fifth of the token's lifetime if that is less"),
  fetchCheck('timeout', 'timeoutMs', seconds),
  fetchCheck('retries', 'retries', String),
  fetchCheck('cache', 'cache', (on) => (on ? 'on' : 'off')),
  fetchCheck('ca-file', 'caFile', String, "Node's own roots, then the system's"),
  fetchCheck(
    'keychain-timeout',
    'keychainTimeoutMs',
    seconds,
    `${answerWithinMs(true) / 1000} s where a person can answer a dialog, else ${answerWithinMs(false) / 1000} s`,
  ),
  // Its text is left out: people write all sorts of things into a command line.
  fetchCheck('credential-command', 'credentialCommand', () => 'set', 'none'),
];

type ValueOf<Member extends keyof FetchSettings> =
  NonNullable<FetchSettings[Member]> extends Setting<infer T> ? T : never;

function fetchCheck<Member extends keyof FetchSettings>(
  name: string,
  member: Member,
  show: (value: ValueOf<Member>) => string,
  unset = '',
): (given: Given, profile: string) => Check {
  return (given, profile) =>
    check(
      name,
      () => resolveFetchSettings(only(name, given), profile)[member] as Setting<ValueOf<Member>> | undefined,
      show,
      unset,
    );
}

function check<T>(
  name: string,
  resolve: () => Setting<T> | undefined,
  show: (value: T) => string,
  unset = '',
): Check {
  const found = attempt(resolve);
  if (found instanceof GwtokenError) return broken(name, found);
  return ok(name, found ? `${show(found.value)} (${found.source.name})` : `${unset} (default)`);
}

function seconds(ms: number): string {
  return `${ms / 1000} s`;
}
