/** Each recipe of `gwtoken help recipes`, run as it stands there with the tool that it is for. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listen } from '../harness/endpoints/listen';
import { startTokenEndpoint } from '../harness/endpoints/token-endpoint';
import { inVariables } from '../harness/homes/client';
import { openFolders } from '../harness/homes/folder';
import type { Need } from '../harness/needs';
import { linkProgram, runCommand } from '../harness/programs/program';
import { ROOT } from '../harness/root';

const GATEWAY = 'https://gateway.example.com/';
const topic = readFileSync(join(ROOT, 'src', 'cli', 'topics', 'recipes.md'), 'utf8');

interface Needs {
  readonly tools: readonly Need[];
  /** How often the gateway is called. */
  readonly calls: number;
}
const RECIPES: Readonly<Record<string, Needs>> = {
  curl: { tools: [], calls: 2 },
  HTTPie: { tools: ['httpie'], calls: 1 },
  jq: { tools: ['jq'], calls: 0 },
  'Node.js': { tools: [], calls: 1 },
  Python: { tools: ['python3-jeepney'], calls: 1 },
  make: { tools: ['make'], calls: 1 },
  direnv: { tools: ['direnv'], calls: 1 },
  // The fourth fails, which ends the loop.
  'Long-running scripts': { tools: [], calls: 4 },
  'A token at a path': { tools: [], calls: 0 },
  'Programs that ask a helper': { tools: [], calls: 0 },
};

interface Recipe {
  readonly name: string;
  /** By their names, as the line above each says. */
  readonly files: ReadonlyMap<string, string>;
  readonly script: string;
}

const recipes = topic
  .split(/^## /m)
  .slice(1)
  .map((section): Recipe => {
    const [name = ''] = section.split('\n');
    const blocks = [...section.matchAll(/(?:^`([^`\n]+)`:\n\n)?^```(\w+)\n([\s\S]*?)^```$/gm)];
    const files = blocks.flatMap(([, file, , text = '']) =>
      file === undefined ? [] : [[file, text] as const],
    );
    const commands = blocks.filter(([, file, language]) => file === undefined && language === 'sh');
    return { name, files: new Map(files), script: commands.map(([, , , code]) => code).join('') };
  });

/** A gateway that says hello to who has the endpoint's token, but not the fourth time. */
async function startPlace() {
  const endpoint = await startTokenEndpoint();
  const calls: (string | undefined)[] = [];
  const { url } = await listen(
    createServer(({ headers: { authorization } }, response) => {
      calls.push(authorization);
      response
        .writeHead(calls.length === 4 ? 503 : authorization === 'Bearer token-1' ? 200 : 401)
        .end('hello\n');
    }),
  );
  const { dir, env } = openFolders();
  const [bin, work] = [join(dir, 'bin'), join(dir, 'work')];
  mkdirSync(work);
  linkProgram(bin);
  const executable = { mode: 0o755 };
  const call = (token: string) =>
    `#!/bin/sh\nprintf 'Authorization: Bearer %s\\n' "${token}" | curl -fsS -H @- ${url}/\n`;
  writeFileSync(join(work, 'deploy.sh'), call('$GWTOKEN_ACCESS_TOKEN'), executable);
  // The loop's: nobody waits for a minute here.
  writeFileSync(join(bin, 'sleep'), '#!/bin/sh\n', executable);
  const path = [bin, process.env['PATH']].join(delimiter);
  return {
    calls,
    work,
    here: (text: string) => text.replaceAll(GATEWAY, `${url}/`),
    env: { ...env, ...inVariables(endpoint.authUrl), PATH: path },
  };
}

describe('the topic recipes', () => {
  test('has a recipe for each tool that is known here', () => {
    expect(recipes.map(({ name }) => name)).toEqual(Object.keys(RECIPES));
  });

  test.for(recipes)('$name', { timeout: 60_000 }, async ({ name, files, script }, { needs }) => {
    const { tools, calls: expected } = RECIPES[name]!;
    needs('linux', 'bash', ...tools);
    const { calls, work, here, env } = await startPlace();
    for (const [file, text] of files) writeFileSync(join(work, file), here(text));
    const words = ['/usr/bin/bash', '-ec', here(script)];
    const { code, stdout, stderr } = await runCommand(words, { env, cwd: work, timeoutMs: 60_000 });
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    if (name === 'jq') expect(stdout).toMatch(/^20\d\d-\d\d-\d\dT[\d:.]+Z\n$/);
    expect(calls).toEqual(Array(expected).fill('Bearer token-1'));
    if (expected > 0) expect(stdout).toContain('hello');
  });

  test('the command for headersHelper prints headers', async ({ needs }) => {
    needs('posix');
    const [, command = ''] = /"headersHelper": "([^"]+)"/.exec(topic) ?? [];
    const { env, work } = await startPlace();
    const { stdout } = await runCommand(['/bin/sh', '-c', command], { env, cwd: work });
    expect(JSON.parse(stdout)).toEqual({ Authorization: 'Bearer token-1' });
  });
});
