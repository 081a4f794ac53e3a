/** What no format has to carry, since it is no token: the endpoint's reply is judged by the same rule (RFC 6749 A.12). */
import { GwtokenError } from '../errors';
import { VSCHAR } from '../text';
import type { Variable } from './format';

/** As long as a token may be. Beyond 128 KiB a variable makes every later program fail to start on Linux. */
const LIMIT = 32 * 1024;

/** @throws GwtokenError `usage` for a control character, anything outside ASCII, or more than 32 KiB; never with the value */
export function checkVariables(variables: readonly Variable[]): void {
  for (const { name, value = '' } of variables) {
    if (value.length > LIMIT) throw cannotCarry(name, 'has more than 32 KiB');
    if (VSCHAR.test(value)) continue;
    const control = /\p{Cc}/u.exec(value)?.[0];
    throw control === undefined
      ? cannotCarry(name, 'has a character outside ASCII in it')
      : cannotCarry(name, `has a control character (${CONTROL_NAMES[control] ?? 'not a visible one'}) in it`);
  }
}

const CONTROL_NAMES: Readonly<Record<string, string>> = {
  '\0': 'NUL',
  '\n': 'a newline',
  '\r': 'a carriage return',
};

/** The error of a format that cannot carry a value exactly: it refuses it, it never mangles it. */
export function cannotCarry(name: string, problem: string, hint?: string): GwtokenError {
  return new GwtokenError('usage', `the value for ${name} ${problem}, so it cannot be handed over exactly`, {
    hints: hint === undefined ? [] : [hint],
  });
}
