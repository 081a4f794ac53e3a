/** What is worth another attempt: decided only here (contract section 5). */
import type { GwtokenError, Retry } from '../errors';
import type { FetchReply } from '../world/wire';

/** The reasons of `unreached` that would come again: whatever refused has to be changed first. */
const FINAL = ['certificate', 'proxy-refusal', 'ENOTLOOPBACK'];

/** The statuses that pass by themselves; every other one would come again. */
const RETRIED = [408, 425, 429, 500, 502, 503, 504];

/** Whether the same request may succeed a little later; undefined where it would not. */
export function retryOf({ kind, reason = '', retry }: GwtokenError): Retry | undefined {
  return kind === 'unreached' && !FINAL.includes(reason) ? {} : retry;
}

/**
 * Whether a reply of this status is worth another attempt, and how long to wait by its Retry-After (RFC 9110 section
 * 10.2.3, RFC 6585 section 4): seconds or a date, read against the reply's own Date so that this machine's clock does
 * not matter. Nonsense counts as absent.
 */
export function retryOfReply(
  status: number,
  headers: FetchReply['headers'],
  nowMs: number,
): Retry | undefined {
  if (!RETRIED.includes(status)) return undefined;
  return { afterMs: delayMs(headers.get('retry-after')?.trim() ?? '', headers.get('date') ?? '', nowMs) };
}

function delayMs(value: string, date: string, nowMs: number): number | undefined {
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const until = httpDateMs(value);
  return until === undefined ? undefined : Math.max(0, until - (httpDateMs(date) ?? nowMs));
}

/** The three forms of RFC 9110 section 5.6.7; the last one, asctime's, names no zone and means UTC. */
function httpDateMs(text: string): number | undefined {
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(text)) return undefined;
  const ms = Date.parse(text.endsWith(' GMT') ? text : `${text} GMT`);
  return Number.isNaN(ms) ? undefined : ms;
}
