/** What all of it weighs. Whoever raises a number says why in the commit. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../harness/root';

const AT_MOST = {
  'lines of src and the programs of bin': 8_200,
  'files of src and the programs of bin': 90,
  'lines of bin/build': 720,
  'lines of test': 17_000,
  'words of README, .github and the topics': 8_500,
  'packages of package.json': 18,
};

/** The files below a directory whose names end so. */
const below = (directory: string, ends: RegExp): string[] =>
  readdirSync(join(ROOT, directory), { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name).replaceAll('\\', '/'))
    .filter((file) => ends.test(file));
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const sum = (files: readonly string[], part: RegExp): number =>
  files.reduce((total, file) => total + (read(file).match(part)?.length ?? 0), 0);

test('nothing has become heavier than the table says', () => {
  const programs = [...below('src', /\.ts$/), ...below('bin', /^bin\/[^/]+\.ts$/)];
  const documents = ['README.md', ...below('.github', /\.md$/), ...below('src/cli/topics', /\.md$/)];
  const manifest = JSON.parse(read('package.json'));
  const packages = ['dependencies', 'optionalDependencies', 'devDependencies'].flatMap((kind) =>
    Object.keys(manifest[kind] ?? {}),
  );
  const weights: Record<keyof typeof AT_MOST, number> = {
    'lines of src and the programs of bin': sum(programs, /\n/g),
    'files of src and the programs of bin': programs.length,
    'lines of bin/build': sum(below('bin/build', /\.m?[jt]s$/), /\n/g),
    'lines of test': sum(below('test', /\.[cm]?[jt]s$/), /\n/g),
    'words of README, .github and the topics': sum(documents, /\S+/g),
    'packages of package.json': packages.length,
  };
  const tooHeavy = Object.entries(AT_MOST).flatMap(([what, most]) => {
    const weight = weights[what as keyof typeof AT_MOST];
    return weight > most ? [`${what}: ${weight}, at most ${most}`] : [];
  });
  expect(tooHeavy).toEqual([]);
});
