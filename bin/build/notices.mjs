// The licences of the packages in a program, which have to accompany it.
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const NOTICES = 'THIRD-PARTY-NOTICES.txt';
/** The line between two packages. */
const RULE = `\n\n${'-'.repeat(80)}\n\n`;

/** Licences that only require passing on their text. */
const PERMISSIVE = ['MIT', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0'];
/** License texts that must accompany Bun's program, because Bun's npm package contains none. */
const OF_BUN = ['bun.txt', 'LGPL-2.0.txt', 'LGPL-2.1.txt'];

/**
 * Writes the licences of all packages in a bundle into its directory.
 * @param {string} directory
 * @param {readonly (import('rolldown').OutputChunk | import('rolldown').OutputAsset)[]} output
 * @throws if a package has no licence text, or if its licence requires more than passing on the text
 */
export function writeNotices(directory, output) {
  const ids = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  // The innermost node_modules counts, because a package can contain its own copy of another one.
  const packages = ids.flatMap(
    (id) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0] ?? [],
  );
  const texts = [...new Set(packages)].map((path) => {
    const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
    const file = readdirSync(path).find((each) => /^licen[cs]e/i.test(each));
    if (file === undefined || !PERMISSIVE.includes(license))
      throw new Error(`${name} ${version} (${license}): ${file ?? 'no licence text'}`);
    return `${name} ${version} (${license})\n\n${readFileSync(join(path, file), 'utf8').trim()}`;
  });
  const text = `The files of this directory contain the following packages.${RULE}${texts.sort().join(RULE)}\n`;
  writeFileSync(join(directory, NOTICES), text);
}

/**
 * Adds the licences of keytar, whose native module is no part of a bundle, and of Bun with its libraries.
 * @param {string} directory
 * @param {string} keytar the package's directory
 * @param {string} bunVersion
 */
export function addExecutableNotices(directory, keytar, bunVersion) {
  const { name, version } = JSON.parse(readFileSync(join(keytar, 'package.json'), 'utf8'));
  const ofBun = OF_BUN.map((file) =>
    readFileSync(join(import.meta.dirname, 'licenses', file), 'utf8').trim(),
  );
  const notices = {
    [`${name} ${version} (MIT)`]: readFileSync(join(keytar, 'LICENSE.md'), 'utf8').trim(),
    [`bun ${bunVersion} (MIT, with parts under LGPL-2.0 and LGPL-2.1)`]: ofBun.join('\n\n\n'),
  };
  for (const [title, text] of Object.entries(notices))
    appendFileSync(join(directory, NOTICES), `${RULE}${title}\n\n${text}`);
}
