/**
 * The OS keychain, service `gwtoken`. Each call starts its own child process at once and ends within its limit;
 * every failure is a GwtokenError of kind `keychain`, whose `reason` is a KeychainReason. `limitMs` is the setting
 * `keychain-timeout`; undefined means 60 s where a person can answer a dialog, otherwise 10 s.
 */
export interface Keychain {
  /** Looks for the module without loading it; rejects when it is not installed. */
  checkInstalled(): Promise<void>;
  /**
   * Stores, reads and deletes an item under its own service name, so that a locked keyring is
   * unlocked now. Resolves with the module's name and version; rejects if the keychain does not work here.
   */
  probe(limitMs?: number): Promise<string>;
  /** The item's value, or undefined if there is none. Rejects with the signal's reason once it is aborted. */
  get(account: string, limitMs?: number, ended?: AbortSignal): Promise<string | undefined>;
  /** Stores the value, reads it back, and resolves with what was there before. */
  set(account: string, value: string, limitMs?: number): Promise<string | undefined>;
  /** Whether there was one. It is gone then: one that stays is `locked` or `denied`. */
  delete(account: string, limitMs?: number): Promise<boolean>;
  /** Whether an item is there that the keychain shows a program only after it has let it in, as KeePassXC does by a dialog. */
  isGuarded(account: string): Promise<boolean>;
}

/** What is wrong with a keychain, in the order in which its parts are needed. */
export type KeychainReason =
  | 'module-missing'
  | 'library-missing'
  | 'no-session'
  | 'no-provider'
  | 'plugin-missing'
  | 'no-collection'
  | 'locked'
  /** Not in the open keyring, but perhaps in one that is locked and shows nothing. */
  | 'hidden'
  | 'denied'
  /** The module itself did not load in time. */
  | 'not-started'
  /** A keyring that is open did not answer in time: it is stuck, or shows a dialog. */
  | 'silent'
  | 'timed-out'
  | 'too-large'
  | 'crashed'
  /** The keychain and the module do not agree on the key for the transfer, in several sessions in a row. */
  | 'key-mismatch'
  /** A text that gwtoken does not know; it is in `detail`. */
  | 'failed';
