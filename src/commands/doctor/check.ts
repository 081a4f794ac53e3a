import type { GwtokenError } from '../../errors';
import type { Finding } from '../report';

/** One step and how it went. */
export interface Check extends Finding {
  readonly name: string;
  /** The error that `get` would end with; absent unless the step failed. */
  readonly error?: GwtokenError;
}

export function passed(name: string, message: string): Check {
  return { name, result: 'ok', message, hints: [] };
}

export function warning(name: string, message: string, ...hints: string[]): Check {
  return { name, result: 'warning', message, hints };
}

/** @param more what else is known of the failure, as the end of its message */
export function failed(name: string, error: GwtokenError, more = ''): Check {
  return { name, result: 'failed', message: `${error.message}${more}`, hints: error.hints, error };
}
