import type { KnownEntry } from '../../world/files';
import { readTrusted } from './config-file';
import type { Machine } from './machine';

/** The entries of the known clients' file: id and address by the client's name. An entry that is not one is passed over. */
export function readKnownClients(path: string | undefined, machine: Machine): Record<string, KnownEntry> {
  const known: Record<string, KnownEntry> = {};
  for (const [name, entry] of Object.entries(path === undefined ? {} : (readTrusted(path, machine) ?? {}))) {
    const { client_id: clientId, auth_url: authUrl } = (entry ?? {}) as Record<string, unknown>;
    if (typeof clientId === 'string' && typeof authUrl === 'string') known[name] = { clientId, authUrl };
  }
  return known;
}
