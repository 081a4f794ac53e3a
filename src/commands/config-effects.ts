/** What a setting means in effect: every value with its source, and what a changed one no longer lets pass. */

import { clientFlags, clientName, parseClientName, REGIONS } from '../client';
import { attempt, GwtokenError } from '../errors';
import { resolveAuthUrl, resolveEnvironment, resolveProfile, resolveSetting } from '../settings/resolve';
import { type Given, type Row, SETTINGS, settingOf } from '../settings/table';
import { inWords, setAuthUrlCommand } from '../settings/words';
import { duration } from '../text';
import { readEntry } from '../token/cache';
import type { World } from '../world';

/** Lists every setting in effect, with its source. */
export function effectiveLines(given: Given): string[] {
  const profile = resolveProfile(given).value;
  const environment = resolveEnvironment(given, profile).value;
  const urls = REGIONS.map((region) => {
    const url = resolveAuthUrl(given, { profile, environment, region });
    return `auth-url.${region} = ${inWords(SETTINGS.authUrl, url)}`;
  });
  const rows: readonly Row<unknown>[] = Object.values(SETTINGS);
  return rows.flatMap((row) =>
    row === SETTINGS.authUrl ? urls : [`${row.key} = ${inWords(row, resolveSetting(row, given, profile))}`],
  );
}

/** A sentence and, if there is one, how to go back. */
interface Warning {
  readonly message: string;
  readonly hints: readonly string[];
}

/** Tells what a setting that has just been changed does to the stored clients. */
export function warningsOf(key: string, given: Given, world: Pick<World, 'clients' | 'tokens'>): Warning[] {
  const row = settingOf(key);
  const stored = Object.entries(world.clients.read()).flatMap(([name, { authUrl }]) => {
    const client = parseClientName(name);
    return client ? [{ client, boundTo: authUrl }] : [];
  });
  if (row === SETTINGS.authUrl) {
    return stored.flatMap(({ client, boundTo }) => {
      const now = attempt(() => resolveAuthUrl(given, client)?.value);
      if (now === undefined || now instanceof GwtokenError || now === boundTo) return [];
      const message = `the credentials stored for ${clientName(client)} are for ${boundTo}; they will not be sent to ${now}`;
      const back = `to go back, run: ${setAuthUrlCommand(client, boundTo)}`;
      return [{ message, hints: [back, `to use ${now}, run: gwtoken login ${clientFlags(client)}`] }];
    });
  }
  if (row !== SETTINGS.minTtlMs) return [];
  const tooShort = stored.flatMap(({ client }) => {
    const minTtl = attempt(() => resolveSetting(SETTINGS.minTtlMs, given, client.profile));
    const lifetimeS = readEntry(client, world)?.token.lifetimeS;
    if (minTtl === undefined || minTtl instanceof GwtokenError || lifetimeS === undefined) return [];
    return minTtl.value >= lifetimeS * 1000 ? [duration(lifetimeS * 1000)] : [];
  });
  if (tooShort[0] === undefined) return [];
  return [
    { message: `tokens last ${tooShort[0]}: with this min-ttl each call requests a new one`, hints: [] },
  ];
}
