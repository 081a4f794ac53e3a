import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cleaningUp, onCleanup } from './clean-up';
import { filesBelow } from './homes/files';
import { openHome } from './homes/home';
import { missing } from './needs';

describe('what is opened', () => {
  const ended: string[] = [];
  onCleanup(() => expect(ended).toEqual(['within', 'second', 'first']));

  test('ends with what it was opened in, the last first', async () => {
    onCleanup(() => ended.push('first'));
    onCleanup(async () => ended.push('second'));
    await cleaningUp(async () => onCleanup(() => ended.push('within')));
    expect(ended).toEqual(['within']);
  });

  test('has ended when the next test begins', () => {
    expect(ended).toEqual(['within', 'second', 'first']);
  });

  test('ends all the same when one of it cannot be ended', async () => {
    const seen: string[] = [];
    const work = cleaningUp(async () => {
      onCleanup(() => seen.push('ended'));
      onCleanup(() => Promise.reject(new Error('stuck')));
    });
    await expect(work).rejects.toThrow('stuck');
    expect(seen).toEqual(['ended']);
  });
});

describe('the program', () => {
  test('has a fresh home whose files are found, and tests do not see the developer’s settings', () => {
    const home = openHome();
    writeFileSync(join(home.dir, 'home', 'a'), 'b');
    mkdirSync(home.cache, { recursive: true });
    expect([...filesBelow(home.dir)]).toEqual([['home/a', Buffer.from('b')]]);
    for (const name of Object.keys(process.env))
      expect(name).not.toMatch(/^(NODE_EXTRA_CA|FORCE_COLOR|GWTOKEN_)/);
  });
});

test('what is missing here is told by its first reason, and nothing is if all is there', () => {
  const reason = 'needs a thing';
  expect(missing(undefined, reason, 'needs another')).toBe(reason);
  expect(missing(undefined)).toBeUndefined();
});
