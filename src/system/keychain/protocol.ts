/** What gwtoken and its keychain child say to each other, over the IPC channel alone. Types only. */

export type Request =
  | { readonly op: 'probe' }
  | { readonly op: 'get' | 'delete'; readonly account: string }
  | { readonly op: 'set'; readonly account: string; readonly value: string };

export type Answer =
  /** get: the value or null; set: null; delete: whether there was one; probe: the module's name and version. */
  | { readonly ok: true; readonly value: string | boolean | null }
  | {
      readonly ok: false;
      /** Loading the module, or the call into it. */
      readonly stage: 'load' | 'call';
      readonly message: string;
      readonly code?: string | undefined;
      /** Why the native part did not load: keytar itself swallows the loader's words. */
      readonly cause?: string | undefined;
    };
