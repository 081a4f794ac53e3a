/** Steps that several rows, or commands, name. A step that does not apply is left out. */
import { clientFlags, parseClientName } from '../client';
import { FORKS_GET_NO_SECRETS, variablePairs } from '../credentials/variables';
import { type Hints, orUndefined } from '../errors';
import type { Settings } from '../settings/table';

export const OMIT_COMMENT = 'leave the comment out: on a typed line, zsh passes it as arguments';

/** Longest list of stored clients that fits in a line of 80 columns. */
const MOST_COLUMNS = 73;

/** Returns the names of the stored clients, and how to select the only one. */
export function storedClients(settings: Settings): Hints {
  // An unreadable list is another error.
  const [first, ...others] = Object.keys(orUndefined(settings.stored) ?? {});
  if (first === undefined) return [];
  const client = parseClientName(first);
  if (!client || others.length > 0) {
    const list = `stored: ${[first, ...others].join(', ')}`;
    return [list.length > MOST_COLUMNS ? 'to list stored clients, run: gwtoken status' : list];
  }
  // The flags that lead from the settings to this client, beside its region's.
  const needed = {
    profile: settings.profile.value === client.profile ? undefined : client.profile,
    sandbox: settings.environment.value === client.environment ? undefined : client.environment === 'sandbox',
  };
  return [`stored: ${first}; use ${clientFlags(client, needed)}`];
}

/** Returns the steps to set variables, or says that they are empty or ignored. */
export function useVariables(settings: Settings, or = ''): Hints {
  const { env, flags } = settings;
  if (flags.profile !== undefined)
    return [`${or}export GWTOKEN_PROFILE=${flags.profile} instead of --profile, to use variables`];
  // Without a region there is no client.
  const client = orUndefined(() => settings.client);
  const names = client ? variablePairs(client).flat() : [];
  const empty = names.filter((name) => env[name] === '');
  if (empty.length > 0) return [`empty: ${empty.join(', ')}`, FORKS_GET_NO_SECRETS];
  // `. .env` alone does not export them.
  return [`${or}export GWTOKEN_CLIENT_ID and GWTOKEN_CLIENT_SECRET (gwtoken help ci)`];
}
