/** Plays the sessions of test/sessions/text. Each `== title` is a test; `-u` records the output again. */
import { describe, test } from 'vitest';
import { inProcess, SESSIONS } from './play';

describe.each(SESSIONS)('%s', (_, parts) => {
  for (const { title, check } of parts) test(title, async ({ needs }) => check(inProcess(), needs));
});
