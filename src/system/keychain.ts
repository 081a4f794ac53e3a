/** The OS keychain through keytar: the one file that knows it. Loaded when credentials are needed from it, not before. */
import { GwtokenError, messageOf, systemCode } from '../errors';
import type { Keychain } from '../world';

const SERVICE = 'gwtoken';

export const keychain: Keychain = {
  probe: async () => {
    await use((keytar) => keytar.getPassword(SERVICE, 'probe'));
  },
  get: async (account) => (await use((keytar) => keytar.getPassword(SERVICE, account))) ?? undefined,
  set: (account, value) => use((keytar) => keytar.setPassword(SERVICE, account, value)),
  delete: (account) => use((keytar) => keytar.deletePassword(SERVICE, account)),
};

async function use<T>(call: (keytar: typeof import('keytar')) => Promise<T>): Promise<T> {
  let keytar: typeof import('keytar');
  try {
    keytar = (await import('keytar')).default;
  } catch (error) {
    const missing = systemCode(error) === 'MODULE_NOT_FOUND' || systemCode(error) === 'ERR_MODULE_NOT_FOUND';
    throw new GwtokenError(
      'keychain',
      missing ? 'the keychain module keytar is not installed' : 'the keychain module cannot be loaded',
      {
        hints: missing
          ? ['install gwtoken without --omit=optional, or give the credentials in variables']
          : [],
        cause: error,
        detail: messageOf(error),
      },
    );
  }
  try {
    return await call(keytar);
  } catch (error) {
    throw new GwtokenError('keychain', 'the keychain does not work', {
      cause: error,
      detail: messageOf(error),
    });
  }
}
