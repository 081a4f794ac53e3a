import type { FetchSettings } from './fetch-settings';
import type { ClientSettings } from './resolve';
import type { AuthUrl, Setting } from './setting';

/** The settings of a run, each with its source, as the lines that --verbose begins with. */
export function describeSettings(
  { profile, environment, region }: ClientSettings,
  authUrl: AuthUrl,
  fetch: FetchSettings,
): string[] {
  const line = <T>(name: string, setting: Setting<T> | undefined, show: (value: T) => string = String) =>
    setting && `${name}: ${show(setting.value)} (${setting.source.name})`;
  const seconds = (ms: number): string => `${ms / 1000} s`;
  return [
    line('profile', profile),
    line('environment', environment),
    line('region', region),
    line('auth URL', authUrl),
    line('minimum life', fetch.minTtlMs, seconds),
    line('time limit', fetch.timeoutMs, seconds),
    line('retries', fetch.retries),
    line('cache', fetch.cache, (on) => (on ? 'on' : 'off')),
    line('extra CA', fetch.caFile),
    line('keychain wait', fetch.keychainTimeoutMs, seconds),
    // The command itself may have a secret in it.
    line('credential command', fetch.credentialCommand, () => 'set'),
  ].filter((each) => each !== undefined);
}
