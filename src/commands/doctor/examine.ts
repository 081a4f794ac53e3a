/** The sections of `gwtoken doctor`, in the order in which they are shown. */

import { DEFAULT_PROFILE } from '../../client';
import { attempt, GwtokenError } from '../../errors';
import { gather, resolveProfile, resolveSetting } from '../../settings/resolve';
import {
  FETCH_SETTINGS,
  type FlagValues,
  SETTINGS,
  type SettingDefinition,
  type SettingSources,
} from '../../settings/table';
import { describeSetting } from '../../settings/words';
import type { World } from '../../world';
import { type CheckedClient, type Clients, checkClients, readClients } from '../clients';
import { check, failed, type Section } from './check';
import { clientSection } from './client';
import { environmentSections, foldersSection } from './machine';

export interface Diagnosis {
  readonly sections: readonly Section[];
  readonly clients: readonly CheckedClient[];
}

/** Checks everything. A failure is a line of the report, never a rejection. */
export async function examine(flags: FlagValues, world: World): Promise<Diagnosis> {
  const sources = attempt(() => gather(flags, world));
  const none: Clients = { clients: [], noneSelected: undefined };
  const read = sources instanceof GwtokenError ? none : attempt(() => readClients(sources, world));
  const known = read instanceof GwtokenError ? { ...none, noneSelected: read } : read;
  const program = `${world.version}, ${world.probes.system()}`;
  const common = [
    { title: 'gwtoken', summary: program, checks: [check('ok', 'version', program)] },
    settingsSection(sources, known.noneSelected),
    await foldersSection(world),
    ...environmentSections(world),
  ];
  // Without the settings nothing else is known.
  if (sources instanceof GwtokenError) return { sections: common, clients: [] };
  const isNeeded = known.clients.length === 0 || known.clients.some(({ source }) => source === 'keychain');
  const timeout = attempt(() => resolveSetting(SETTINGS.keychainTimeoutMs, sources));
  const limitMs = timeout instanceof GwtokenError ? undefined : timeout?.value;
  const keychain = isNeeded ? await keychainSection(limitMs, world) : undefined;
  const clients = await checkClients(known.clients, world, keychain?.problem);
  const sections = [
    ...common,
    ...(keychain ? [keychain] : []),
    ...clients.map((each) => clientSection(each, world.now())),
  ];
  return { sections: withoutRepetitions(sections), clients };
}

/**
 * Checks the settings, each by itself, so that one bad value does not hide the others.
 *
 * @param given why the config file cannot be used, if it cannot
 * @param noClient why no client is selected
 */
function settingsSection(given: SettingSources | GwtokenError, noClient: GwtokenError | undefined): Section {
  const title = 'settings';
  if (given instanceof GwtokenError) return { title, summary: '', checks: [failed('config file', given)] };
  const profile = attempt(() => resolveProfile(given).value);
  const own = profile instanceof GwtokenError ? DEFAULT_PROFILE : profile;
  const checks = [check('ok', 'config file', given.config.path)];
  const changed: string[] = [];
  const add = (name: string, row: SettingDefinition<unknown>): void => {
    const found = attempt(() => resolveSetting(row, given, own));
    if (found instanceof GwtokenError) checks.push(failed(name, found));
    // Without a region there is no client, which has a line of its own.
    else if (found !== undefined || row !== SETTINGS.region)
      checks.push(check('ok', name, describeSetting(row, found)));
    if (found && !(found instanceof GwtokenError) && found.source.kind !== 'default')
      changed.push(`${name} ${describeSetting(row, found)}`);
  };
  const ofClient: readonly SettingDefinition<unknown>[] = [
    SETTINGS.profile,
    SETTINGS.environment,
    SETTINGS.region,
  ];
  for (const row of ofClient) add(row.name ?? row.key, row);
  for (const row of Object.values(FETCH_SETTINGS)) add(row.key, row);
  if (noClient && !checks.some(({ message }) => message === noClient.message))
    checks.push(failed('client', noClient));
  return { title, summary: changed.join(', ') || 'defaults', checks };
}

/** Checks the keychain by a round trip of a test item. */
async function keychainSection(
  limitMs: number | undefined,
  { keychain, terminal }: Pick<World, 'keychain' | 'terminal'>,
): Promise<Section & { readonly problem?: GwtokenError }> {
  const title = 'keychain';
  try {
    const version = await terminal.spin('checking the keychain', () => keychain.probe(limitMs));
    const done = `stored, read and deleted a test item (${version})`;
    return { title, summary: version, checks: [check('ok', 'round trip', done)] };
  } catch (problem) {
    if (!(problem instanceof GwtokenError)) throw problem;
    return { title, summary: '', checks: [failed('round trip', problem)], problem };
  }
}

/** Marks a problem that an earlier section has shown as skipped. */
function withoutRepetitions(sections: readonly Section[]): Section[] {
  const said = new Set<string>();
  return sections.map(({ checks, ...rest }) => ({
    ...rest,
    checks: checks.map((each) => {
      if (each.result !== 'failed' && each.result !== 'warning') return each;
      if (each.result === 'failed' && rest.wasTried) return each;
      if (said.has(each.message)) return check('skipped', each.name, each.message);
      said.add(each.message);
      return each;
    }),
  }));
}
