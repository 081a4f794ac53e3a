/** The software bill of materials of a release. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BUN } from '../../bin/build/bun.mjs';
import { ROOT } from '../harness/root';

test('sbom.mjs lists the bundled packages, keytar’s packages and Bun', () => {
  const printed = execFileSync(process.execPath, ['bin/build/sbom.mjs'], { cwd: ROOT, encoding: 'utf8' });
  const { bomFormat, metadata, components } = JSON.parse(printed);
  const notices = readFileSync(join(ROOT, 'dist', 'THIRD-PARTY-NOTICES.txt'), 'utf8');
  const bundled = [...notices.matchAll(/^(\S+ \d+\.\d+\.\d+) \(/gm)].map(([, name]) => name);
  const listed = components.map(({ name, version }: Record<string, string>) => `${name} ${version}`);
  expect(listed).toEqual(expect.arrayContaining([...bundled, `bun ${BUN.version}`]));
  const others = listed
    .filter((each: string) => !bundled.includes(each))
    .map((each: string) => each.split(' ')[0]);
  expect(others).toEqual(['keytar', 'node-addon-api', 'bun']);
  expect([bomFormat, metadata.component.name]).toEqual(['CycloneDX', 'gwtoken']);
});
