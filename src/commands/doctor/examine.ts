/** All checks of `gwtoken doctor`, a section at a time, in the order in which they are printed. */

import { clientName, isRegion, REGIONS, type Region } from '../../client';
import { limitedKeychain } from '../../credentials/keychain-item';
import { planCredentials } from '../../credentials/plan';
import { attempt, type GwtokenError } from '../../errors';
import {
  firstRunHints,
  requireAuthUrl,
  resolveAuthUrl,
  resolveClient,
  resolveEnvironment,
  resolveRegion,
  resolveSetting,
} from '../../settings/resolve';
import { type AuthUrl, type FlagValues, type Given, SETTINGS } from '../../settings/table';
import type { World } from '../../world';
import { type Check, section } from './check';
import { endpointChecks } from './endpoint';
import { environmentChecks } from './environment';
import { folderChecks } from './folders';
import { keychainChecks } from './keychain';
import { gatherLeniently, orElse, profileOf, settingsChecks } from './settings';

type Outside = Pick<
  World,
  'version' | 'env' | 'config' | 'clients' | 'platform' | 'keychain' | 'probes' | 'readFile' | 'fetch' | 'now'
>;

/** Starts all sections at once. What fails is a line of the report, never a rejection. */
export function examine(flags: FlagValues, world: Outside): Promise<Check[]>[] {
  const given = gatherLeniently(flags, world);
  return [
    installationChecks(otherPlace(given, world), world),
    Promise.resolve(settingsChecks(given, world)),
    folderChecks(world),
    keychainChecks(usableKeychain(given, world), accountOf(given), otherPlace(given, world), world),
    ...regionsOf(given).map((region) =>
      endpointChecks(region, authUrlOf(region, given), limits(given), world),
    ),
    environmentChecks(world),
  ];
}

/** Without its module there is no keychain, whatever else is wrong: that stands first. */
async function installationChecks(
  elsewhere: string | undefined,
  { version, probes, keychain }: Outside,
): Promise<Check[]> {
  const { ok, error: broken } = section('gwtoken');
  const checks = [ok('version', `${version}, ${probes.system()}`)];
  try {
    if (elsewhere === undefined) await keychain.checkInstalled();
  } catch (error) {
    checks.push(broken('keychain module', error));
  }
  return checks;
}

/** The keychain item of the client that the settings name, if they name one. */
function accountOf(given: Given): string | undefined {
  return orElse(() => clientName(resolveClient(given).client), undefined);
}

/** With a bad time limit, which has a line of its own, the default one holds. */
function usableKeychain(given: Given, world: Outside) {
  return orElse(() => limitedKeychain(given, world), world.keychain);
}

/** Where the credentials of the client that the settings name come from, unless it is the keychain. */
function otherPlace(given: Given, world: Outside): string | undefined {
  return orElse(() => {
    const plan = planCredentials(given, resolveClient(given), world);
    return plan.kind === 'keychain' ? undefined : plan.name;
  }, undefined);
}

/** A region named on the command line is the one that is asked about. */
function regionsOf(given: Given): readonly Region[] {
  const name = String(given.flags['region']).toLowerCase();
  return isRegion(name) ? [name] : REGIONS;
}

/**
 * The region's auth URL; why there is none, if it is the region in use or there is none for any; else undefined. On a
 * first run, which has a line of its own, nothing is said of it.
 */
function authUrlOf(region: Region, given: Given): AuthUrl | GwtokenError | undefined {
  const profile = profileOf(given);
  const environment = orElse(() => resolveEnvironment(given, profile).value, 'production');
  const inUse = orElse(() => resolveRegion(given, profile)?.value, undefined);
  const client = { profile, environment, region };
  const needed =
    inUse === region ||
    (inUse === undefined &&
      firstRunHints(given).length === 0 &&
      REGIONS.every((each) => orElse(() => !resolveAuthUrl(given, { ...client, region: each }), false)));
  return attempt(() => (needed ? requireAuthUrl(given, client) : resolveAuthUrl(given, client)));
}

function limits(given: Given): { timeoutMs: number; caFile: string | undefined } {
  const { timeoutMs, caFile } = SETTINGS;
  const profile = profileOf(given);
  return {
    timeoutMs: orElse(() => resolveSetting(timeoutMs, given, profile).value, timeoutMs.fallback),
    caFile: orElse(() => resolveSetting(caFile, given, profile)?.value, undefined),
  };
}
