/**
 * How the text of each setting is read. Every parser gets the text and where it came from, and throws a `usage`
 * error that names the value, its source and what is allowed (contract section 2).
 */

import { isRegion, REGIONS, type Region } from '../client';
import { GwtokenError } from '../errors';
import { LONGEST_LIMIT_MS } from '../person';
import { quoted } from '../text';

const UNIT_MS = { '': 1000, s: 1000, m: 60_000, h: 3_600_000 } as const;

function badValue(what: string, text: string, where: string, allowed: string): GwtokenError {
  return new GwtokenError('usage', `invalid ${what} ${quoted(text)} (from ${where})`, {
    hints: [`use ${allowed}`],
  });
}

/** In any case: `EU` is `eu`. */
export function parseRegion(text: string, where: string): Region {
  const lower = text.toLowerCase();
  if (isRegion(lower)) return lower;
  throw badValue('region', text, where, REGIONS.join(' or '));
}

export function parseSwitch(text: string, where: string): boolean {
  if (text === '1' || text === 'true') return true;
  if (text === '0' || text === 'false') return false;
  throw badValue('value', text, where, '1, true, 0 or false');
}

export function parseOnOff(text: string, where: string): boolean {
  if (text === 'on' || text === 'true') return true;
  if (text === 'off' || text === 'false') return false;
  throw badValue('value', text, where, 'on or off');
}

/** `90`, `90s`, `5m` or `1h`, in milliseconds. */
export function parseDurationMs(text: string, where: string): number {
  const match = /^(\d{1,9})([smh]?)$/.exec(text);
  if (!match) throw badValue('duration', text, where, '90, 90s, 5m or 1h');
  return Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS];
}

/** A time limit in milliseconds: above zero, and an hour at most, so that three of them still fit a timer. */
export function parseTimeLimitMs(text: string, where: string): number {
  const ms = parseDurationMs(text, where);
  if (ms < 1 || ms > LONGEST_LIMIT_MS) throw badValue('timeout', text, where, '1s to 1h');
  return ms;
}

export function parseRetries(text: string, where: string): number {
  if (/^\d{1,2}$/.test(text) && Number(text) <= 10) return Number(text);
  throw badValue('retries', text, where, '0 to 10');
}

export function parseText(text: string, where: string): string {
  if (text !== '' && !text.includes('\0')) return text;
  throw badValue('value', text, where, 'a non-empty value');
}
