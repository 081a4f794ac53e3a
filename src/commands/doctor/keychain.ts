import { GwtokenError } from '../../errors';
import type { Keychain, World } from '../../world';
import { type Section, section } from './check';

/** One round trip through the keychain; its sentence says what is missing. */
export async function keychainSection(
  keychain: Keychain,
  { terminal }: Pick<World, 'terminal'>,
): Promise<Section & { readonly problem?: GwtokenError }> {
  const title = 'keychain';
  const { ok, error } = section(title);
  try {
    const version = await terminal.spin('checking the keychain', () => keychain.probe());
    const done = `stored, read and deleted a test item (${version})`;
    return { title, summary: version, checks: [ok('round trip', done)] };
  } catch (problem) {
    if (!(problem instanceof GwtokenError)) throw problem;
    return { title, summary: '', checks: [error('round trip', problem)], problem };
  }
}
