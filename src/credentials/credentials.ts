export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly source: CredentialSource;
}

export interface CredentialSource {
  readonly kind: 'variables' | 'command' | 'keychain' | 'login';
  /** As it is written in messages: the two variables, the setting that has the command, or the item's service and account. */
  readonly name: string;
}
