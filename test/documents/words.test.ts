/** Each thing has one name, and the texts for users keep to it: the words that crept in before stay out. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../harness/root';
import { textsOf } from './source-texts';

/** What to write instead, and what not to write. */
const BANNED: readonly (readonly [instead: string, banned: RegExp])[] = [
  ['auth URL (the setting), token endpoint (what is requested)', /identity (address|endpoint)/i],
  ['client ID, which is how the services spell it', /\bclient ids?\b/],
  ['stored client: gwtoken stores it, knowing is no state', /\bknown clients?\b|knows (of )?no\b/i],
  ['selected', /settings name\b/],
  ['config file; settings are what is in it', /settings file/i],
  ['directory, as in GWTOKEN_CONFIG_DIR', /\bfolders?\b/i],
  ['again', /\banew\b|\bonce more\b/i],
  ['fix', /\bmend(s|ed|ing)?\b/i],
  ['contains', /\bha(s|ve) [^.:;]* in it\b/i],
  ['only', /\balone\b/i],
  ['pass, output, export', /\bhand(s|ed)? (over|on)\b|\bgive[sn]? out\b/i],
  ['CA', /\bauthorit(y|ies)\b/i],
  ['min-ttl, retries: their config keys', /\b(least|minimum) life\b|\bnumber of retries\b/i],
  ['valid for, lifetime left', /\blives\b/i],
  ['returned, answered with', /\bgave\b/i],
  ['could not reach X: …', /\b(was|were) not reached\b/i],
  ['request (a token)', /\bask(s|ed|ing)? (for|the endpoint)\b(?!'s)/i],
  ['prompt', /\bnobody is asked\b|\bto ask on\b|\bnot ask\b/i],
  ["the endpoint's operator", /\boperators\b|\bwho runs? it\b/i],
  ['overrides, takes precedence', /\bwins\b|\bpasses? over\b|\bhides?\b/i],
  ['this machine', /\bthis computer\b/i],
  ['space', /\bblanks?\b(?!:)/i],
  ['invalid X', /\bis not (a )?valid\b/i],
  ['"to X, run: gwtoken …"', /\blike this\b|\btry it\b|\bsee which\b/i],
];

const SRC = join(ROOT, 'src');
const DOCUMENTS = ['README.md', '.github/CONTRIBUTING.md', '.github/actions/gwtoken/action.yml'].concat(
  readdirSync(join(SRC, 'cli', 'topics'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `src/cli/topics/${name}`),
);

function wrong(file: string, found: readonly string[]): string[] {
  return found.flatMap((text) =>
    BANNED.flatMap(([instead, banned]) =>
      banned.test(text) ? `${file}: ${text.slice(0, 200)}\n  write: ${instead}` : [],
    ),
  );
}

test('the sources say each thing by its one name', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  expect(files).toContain('errors.ts');
  const found = files.flatMap((file) => wrong(file, textsOf(readFileSync(join(SRC, file), 'utf8'))));
  expect(found.join('\n')).toBe('');
});

test.each(DOCUMENTS)('%s says each thing by its one name', (document) => {
  const found = wrong(document, readFileSync(join(ROOT, document), 'utf8').split(/\n\s*\n/));
  expect(found.join('\n')).toBe('');
});
