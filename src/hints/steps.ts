/** Steps that several rows, or commands, name. */
import { FORKS_GET_NO_SECRETS, variablePairs } from '../credentials/variables';
import { orUndefined } from '../errors';
import { knownProfiles } from '../settings/resolve';
import type { Settings } from '../settings/table';
import { similarWords } from '../text';

export const OMIT_COMMENT = 'leave the comment out: on a typed line, zsh passes it as arguments';

/** Returns the hint at a cause that is likelier than a missing login; undefined if there is none. */
export function otherCause({ config, profile, stored }: Settings): string | undefined {
  if (config.noHome !== undefined) return config.noHome;
  const known = knownProfiles(config.profiles, stored);
  if (known.includes(profile.value)) return undefined;
  const [meant] = similarWords(profile.value, known);
  return meant && `did you mean: ${profile.source.kind === 'flag' ? '--profile' : 'profile'} ${meant}`;
}

/** Returns the steps to set variables, or says that they are empty or ignored. */
export function useVariables(settings: Settings, or = ''): readonly string[] {
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
