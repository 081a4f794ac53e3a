/** The next steps after an error: its own, then those of its reason's row, best first. Two are shown. */
import type { GwtokenError, Hints, ReasonWithRow } from '../errors';
import type { Settings } from '../settings/table';
import { ROWS, type Row } from './rows';
import { useVariables } from './steps';

const MOST_HINTS = 2;

/**
 * Returns the hints for an error, best first: each is the next command or variable to type. There are no
 * settings if the config file cannot be read, or if the command line is invalid.
 */
export function hintsFor(error: GwtokenError, settings: Settings | undefined): Hints {
  const { hints, lastStep } = error;
  const all = settings ? [...hints, ...stepsFor(error, settings)] : hints;
  const best = [...new Set(all)];
  return lastStep === undefined ? best.slice(0, MOST_HINTS) : [...best.slice(0, MOST_HINTS - 1), lastStep];
}

function stepsFor(error: GwtokenError, settings: Settings): Hints {
  const { kind, reason, source } = error;
  const row: Row | undefined = ROWS[reason as ReasonWithRow];
  if (row) return row(settings, error);
  return kind === 'keychain' && source ? [...settings.config.noHome, ...useVariables(settings)] : [];
}
