/** The sources of credentials, in the order of their precedence. */
import { mayHoldCredentials } from '../client';
import type { Settings } from '../settings/table';
import type { Env } from '../world';
import { commandSource } from './command';
import { keychainSource } from './keychain';
import type { CredentialSource, FindWorld } from './source';
import { variablesSource } from './variables';

/**
 * Returns the source that takes precedence, without running the command or opening the keychain. Throws
 * `usage` for half a pair of variables, a secret's file that cannot be read, or an invalid setting, even of
 * another source.
 */
export function sourceOf(settings: Settings, world: FindWorld): CredentialSource {
  // Reading an invalid setting throws, even if another source takes precedence.
  void [settings.credentialCommand, settings.keychainTimeoutMs];
  return variablesSource(settings, world) ?? commandSource(settings) ?? keychainSource(settings);
}

/** Returns the variables for a child program, without those for credentials, even if they are misspelled. */
export function withoutCredentials(env: Env): Env {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !mayHoldCredentials(name)));
}
