/** The README's picture of a real session, edited by hand since then: it shows what is printed today. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inside } from '../harness/homes/in-process';
import { ROOT } from '../harness/root';

const SIGNS = { '&quot;': '"', '&lt;': '<', '&gt;': '>', '&amp;': '&' };
const svg = readFileSync(join(ROOT, '.github', 'terminal.svg'), 'utf8');
const rows = [...svg.matchAll(/^<g>(.*)<\/g>$/gm)].map(([, row = '']) =>
  row.replaceAll(/<[^>]*>/g, '').replaceAll(/&\w+;/g, (sign) => SIGNS[sign as keyof typeof SIGNS]),
);
const linesOf = (text: string): string[] => text.trim().split(/ *\n */);
/** By each typed line, the rows below it. */
const [, ...parts] = rows.join('\n').split(/^ *\$ /m);
const printed = Object.fromEntries(parts.map(linesOf).map(([typed, ...below]) => [typed!, below]));

test('the picture shows below each line that is typed what gwtoken prints today', async () => {
  const gw = inside();
  gw.env = {};
  const authUrl = 'https://identity.eu.example.com';
  await gw.login({ authUrl, clientId: 'acme-eu-test', flags: ['--profile', 'test'] });
  const { stderr: stored } = await gw.login({ authUrl, clientId: 'acme-eu' });
  const config = join(gw.config, 'config.json');
  const stands = (text: string) => expect.arrayContaining(linesOf(text));
  expect(printed['gwtoken login --region eu']).toEqual(
    stands(stored.replaceAll(config, '/tmp/me/.config/gwtoken/config.json')),
  );

  expect(printed['gwtoken get']).toEqual([expect.stringMatching(/^[\w-]{43}$/)]);
  expect(printed['gwtoken curl https://gateway.example.com/hello']).toEqual(['Hello, acme-eu!']);
  expect(printed['eval $(gwtoken env)']).toEqual([]);

  const { stderr: unknown } = await gw.cli(['whoami']);
  expect(printed['gwtoken whoami']).toEqual(linesOf(unknown));
  await gw.get();
  gw.nowMs += 30_000;
  expect(printed['gwtoken status']).toEqual(linesOf((await gw.cli(['status'])).stdout));
});
