import { describe, test } from 'vitest';
import { builtProgram, SESSIONS } from './play';

const both = SESSIONS.map(([name, parts]) => [name, parts.filter(({ isForBoth }) => isForBoth)] as const);

describe.each(both.filter(([, parts]) => parts.length > 0))('%s', (_, parts) => {
  test.for(parts)('$title', async ({ check }, { needs }) => check(await builtProgram(), needs));
});
