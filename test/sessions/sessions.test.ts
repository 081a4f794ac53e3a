/** Plays the sessions of test/sessions/text. Each `== title` is a test; `-u` records the output again. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { play } from './play';

describe.each(readdirSync(join(import.meta.dirname, 'text')))('%s', (name) => {
  const file = join(import.meta.dirname, 'text', name);
  const [head = '', ...parts] = readFileSync(file, 'utf8').split(/^(?=== )/m);
  for (const part of parts)
    test(part.slice('== '.length, part.indexOf('\n')), async ({ needs }) => {
      const played = (await play(head + part, needs)).slice(head.length);
      if (played === part) return;
      const text = readFileSync(file, 'utf8');
      if (expect.getState().snapshotState.snapshotUpdateState === 'all')
        writeFileSync(
          file,
          text.replace(part, () => played),
        );
      else failAt(`text/${name}`, text, part, played);
    });
});

/** Fails with the line of the first `$` line whose output is not the recorded one. The difference begins there. */
function failAt(name: string, text: string, part: string, played: string): void {
  const [recorded, runs] = [part, played].map((each) => each.split(/^(?=\$ )/m)) as [string[], string[]];
  const same = recorded.findIndex((lines, at) => lines !== runs[at]);
  const before = text.slice(0, text.indexOf(part)) + recorded.slice(0, same).join('');
  const place = `${name}:${before.split('\n').length}`;
  expect(runs.slice(same).join(''), place).toBe(recorded.slice(same).join(''));
}
