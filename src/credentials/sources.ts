import { mayHoldCredentials } from '../client';
import type { Settings } from '../settings/table';
import type { Env } from '../world';
import { command } from './command';
import { keychainSource } from './keychain';
import type { CredentialSource, FindWorld, SourceKind } from './source';
import { variables } from './variables';

/** The sources that take precedence over the keychain, in their order. */
const BEFORE_KEYCHAIN: readonly SourceKind[] = [variables, command];

export const CREDENTIAL_VARIABLES: readonly string[] = BEFORE_KEYCHAIN.flatMap((kind) => kind.variables);

/** Returns the variables for a child program, without those of the sources and those that resemble them. */
export function withoutCredentials(env: Env): Env {
  // Windows ignores the case.
  const isOfSource = (name: string): boolean => CREDENTIAL_VARIABLES.includes(name.toUpperCase());
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !isOfSource(name) && !mayHoldCredentials(name)),
  );
}

/**
 * Returns the source that takes precedence, without running the command or opening the keychain. Throws
 * `usage` for half a pair of variables, a secret's file that cannot be read, or an invalid setting, even of
 * another source.
 */
export function sourceOf(settings: Settings, world: FindWorld): CredentialSource {
  // Reading a setting throws if its value is invalid.
  for (const name of ['credentialCommand', 'keychainTimeoutMs'] as const) settings[name];
  for (const { find } of BEFORE_KEYCHAIN) {
    const source = find(settings, world);
    if (source) return source;
  }
  return keychainSource(settings);
}
