/** All that `gwtoken doctor` looks at, a section at a time, in the order in which it is shown. */

import { limitedKeychain } from '../../credentials/keychain-item';
import { attempt, GwtokenError } from '../../errors';
import { gather } from '../../settings/resolve';
import type { FlagValues } from '../../settings/table';
import type { World } from '../../world';
import { type CheckedClient, type Clients, checkClients, readClients } from '../clients';
import { type Section, section, withoutRepetitions } from './check';
import { clientSection } from './client';
import { environmentSections } from './environment';
import { foldersSection } from './folders';
import { keychainSection } from './keychain';
import { settingsSection } from './settings';

export interface Diagnosis {
  readonly sections: readonly Section[];
  readonly clients: readonly CheckedClient[];
}

/** Looks at everything. What fails is a line of the report, never a rejection. */
export async function examine(flags: FlagValues, world: World): Promise<Diagnosis> {
  const given = attempt(() => gather(flags, world));
  const read =
    given instanceof GwtokenError
      ? { clients: [], noneSelected: undefined }
      : attempt(() => readClients(given, world));
  const known: Clients = read instanceof GwtokenError ? { clients: [], noneSelected: read } : read;
  const common = [
    programSection(world),
    settingsSection(given, known.noneSelected),
    await foldersSection(world),
    ...(await environmentSections(world)),
  ];
  // Without the settings nothing else is known.
  if (given instanceof GwtokenError) return { sections: common, clients: [] };
  const needed = ({ credentials }: Clients['clients'][number]): boolean =>
    !(credentials instanceof GwtokenError) && credentials.kind === 'keychain';
  const isNeeded = known.clients.length === 0 || known.clients.some(needed);
  const limited = attempt(() => limitedKeychain(given, world));
  const keychain = isNeeded
    ? await keychainSection(limited instanceof GwtokenError ? world.keychain : limited, world)
    : undefined;
  const clients = await checkClients(known.clients, world, keychain?.problem);
  const sections = [
    ...common,
    ...(keychain ? [keychain] : []),
    ...clients.map((each) => clientSection(each, world.now())),
  ];
  return { sections: withoutRepetitions(sections), clients };
}

function programSection({ version, probes }: Pick<World, 'version' | 'probes'>): Section {
  const summary = `${version}, ${probes.system()}`;
  return { title: 'gwtoken', summary, checks: [section('gwtoken').ok('version', summary)] };
}
