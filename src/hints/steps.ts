/** Steps that several files of hints, or commands, name. */
import type { NoHome } from '../causes';
import { type Client, clientFlags } from '../client';
import { FORKS_GET_NO_SECRETS, variablePairs } from '../credentials/variables';
import { knownProfiles } from '../settings/resolve';
import { type Settings, undoStep } from '../settings/table';
import { similarWords } from '../text';
import type { Facts, Steps } from './row';

export const ABOUT_AUTH_URL = 'the auth URL is the token endpoint before /oauth2/token';
export const OMIT_COMMENT = 'leave the comment out: on a typed line, zsh passes it as arguments';

/** Returns the hint at a cause that is likelier than a missing login; undefined if there is none. */
export function otherCause({ settings, isListed }: Facts): string | undefined {
  if (!settings) return undefined;
  const { noHome } = settings.config;
  return noHome ? noHomeStep(noHome) : unknownProfile(settings, isListed);
}

export function noHomeStep({ home, variable }: NoHome): string {
  return `${home} is not set to a directory; set it or ${variable}`;
}

function unknownProfile(settings: Settings, isListed = false): string | undefined {
  const { value: profile, source } = settings.profile;
  const known = knownProfiles(settings.config.profiles, settings.stored);
  if (known.includes(profile)) return undefined;
  const [meant] = similarWords(profile, known);
  if (meant !== undefined)
    return `did you mean: ${source.kind === 'flag' ? '--profile' : 'profile'} ${meant}`;
  return isListed ? undoStep(source) : undefined;
}

/** Returns the flags that select the client, with those that the line had. */
export function flagsFor({ client, settings }: Facts & { readonly client: Client }): string {
  return clientFlags(client, settings?.flags);
}

/** Returns the steps to set variables, or says that they are empty or ignored. */
export function useVariables({ client, settings }: Partial<Facts>, or = ''): Steps {
  if (!settings) return [];
  const { env, flags } = settings;
  if (flags.profile !== undefined)
    return [`${or}export GWTOKEN_PROFILE=${flags.profile} instead of --profile, to use variables`];
  const names = client ? variablePairs(client).flat() : [];
  const empty = names.filter((name) => env[name] === '');
  if (empty.length > 0) return [`empty: ${empty.join(', ')}`, FORKS_GET_NO_SECRETS];
  // `. .env` alone does not export them.
  return [`${or}export GWTOKEN_CLIENT_ID and GWTOKEN_CLIENT_SECRET (gwtoken help ci)`];
}
