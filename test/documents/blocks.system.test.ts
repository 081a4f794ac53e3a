/** Runs the code in README, recipes and ci as printed, section by section, with the tools that it names. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { codeBlocks, linesInTables } from '../harness/command-lines';
import { listen } from '../harness/endpoints/listen';
import { startTokenEndpoint } from '../harness/endpoints/token-endpoint';
import { inVariables } from '../harness/homes/client';
import { openDirectories, openDirectory } from '../harness/homes/directory';
import { missing, type Need } from '../harness/needs';
import { executable, linkProgram, runCommand } from '../harness/programs/program';
import { ROOT } from '../harness/root';

const GATEWAY = 'https://gateway.example.com';
/** Lines that prompt, use another shell or install something. Other tests run them. */
const ELSEWHERE = /^(gwtoken login|gwtoken env --format fish|npm (run|test|ci|install)).*$/gm;

interface Section {
  readonly name: string;
  /** Blocks with a file name on the line above them. */
  readonly files: readonly (readonly [name: string, text: string])[];
  /** The command lines in tables and the shell blocks, or the command lines of a CI system's job. */
  readonly script: string;
  readonly yaml: readonly string[];
}

/** A line of a CI system's job that runs one of these programs. */
const JOB_LINE = /^ *(?:- )?(?:run: |bash: |sh ')?((?:\.\/gwtoken|curl|echo|tar) .*?)'?$/gm;

/** Returns the sections of a document in Markdown. */
function sectionsOf(...path: string[]): Section[] {
  const sections = readFileSync(join(ROOT, ...path), 'utf8').split(/^##? /m);
  return sections.map((section) => {
    const [name = ''] = section.split('\n');
    const blocks = codeBlocks(section);
    const typed = linesInTables(section).map((line) => `${line}\n`.replace(ELSEWHERE, ''));
    const script = blocks.map(({ file, language, code }) => {
      if (file !== undefined) return '';
      if (language === 'sh') return code.replace(ELSEWHERE, '');
      if (!/yaml|groovy/.test(language)) return '';
      return [...code.matchAll(JOB_LINE)].map(([, line]) => `${line}\n`).join('');
    });
    return {
      name,
      files: blocks.flatMap(({ file, code }) => (file === undefined ? [] : [[file, code] as const])),
      script: [...typed, ...script].join(''),
      yaml: blocks.filter(({ language }) => language === 'yaml').map(({ code }) => code),
    };
  });
}
const recipes = sectionsOf('src', 'cli', 'topics', 'recipes.md');
const ci = sectionsOf('src', 'cli', 'topics', 'ci.md');
const sections = [...sectionsOf('README.md'), ...recipes, ...ci];

const TOOLS: Readonly<Record<string, readonly Need[]>> = {
  HTTPie: ['httpie'],
  jq: ['jq'],
  Python: ['python3'],
  make: ['make'],
  direnv: ['direnv'],
};
/** Number of the gateway's calls by section. The fourth call fails, which ends the loop of the long-running script. */
const CALLS: Readonly<Record<string, number>> = {
  'Get started': 2,
  'In CI, or in a terminal without a keychain': 1,
  curl: 3,
  'Long-running scripts': 4,
  'GitLab CI': 1,
  Jenkins: 1,
  ...{ gwtoken: 1, HTTPie: 1, 'Node.js': 1, Python: 1, make: 1, direnv: 1 },
};
const AFTER_401 = 'When the API answers 401';
const VAULTS = 'Credentials from a command: Vault, 1Password, AWS, pass, age';
/** Sections whose code has a test of its own. */
const OWN_TESTS = [AFTER_401, VAULTS];
const ANSWER = '{"client_id":"client","client_secret":"kept in a vault"}';

type Examples = Awaited<ReturnType<typeof openExamples>>;

/** Opens what the examples call: a token endpoint, the gateway, a release to download, and programs on PATH. */
async function openExamples({ accepts = 'token-1' } = {}) {
  const endpoint = await startTokenEndpoint();
  const gateway = await startGateway(accepts);
  const [bin, files] = [openDirectory(), openDirectory()];
  const PATH = linkProgram(bin, [executable()]);
  putPrograms(bin, files, gateway.url);
  const release = await startRelease(bin, files);
  const [BASH_ENV, XDG_CACHE_HOME] = [join(openDirectory(), 'bash-env'), openDirectory()];
  writeFileSync(BASH_ENV, '');
  const variables = { ...inVariables(endpoint.authUrl), ...release, PATH, BASH_ENV, XDG_CACHE_HOME };
  return { endpoint, gateway, files, variables };
}

/** Opens a home and a current directory for one example. Only the cache is shared with others. */
function openExample({ endpoint, gateway, files, variables }: Examples) {
  const { dir, env } = openDirectories();
  const work = join(dir, 'work');
  cpSync(files, work, { recursive: true });
  gateway.calls.length = 0;
  const run = (script: string, more: Readonly<Record<string, string>> = {}) =>
    runCommand(['/usr/bin/bash', '-eo', 'pipefail', '-c', script.replaceAll(GATEWAY, gateway.url)], {
      env: { ...env, ...variables, ...more },
      cwd: work,
    });
  return { endpoint, calls: gateway.calls, work, run, url: gateway.url };
}

/** Starts a gateway that greets callers with this token. Its fourth answer is an error. */
async function startGateway(accepted: string) {
  const calls: (string | undefined)[] = [];
  const { url } = await listen(
    createServer(({ headers: { authorization } }, response) => {
      calls.push(authorization);
      const status = calls.length === 4 ? 503 : authorization === `Bearer ${accepted}` ? 200 : 401;
      response.writeHead(status).end('hello\n');
    }),
  );
  return { url, calls };
}

/** Writes the programs of the examples: scripts into the current directory, others into one on PATH. */
function putPrograms(bin: string, work: string, gatewayUrl: string): void {
  const put = (directory: string, name: string, ...lines: string[]) =>
    writeFileSync(join(directory, name), ['#!/bin/sh', ...lines, ''].join('\n'), { mode: 0o755 });
  const call = `printf 'Authorization: Bearer %s' "$GWTOKEN_ACCESS_TOKEN" | curl -fsS -H @- ${gatewayUrl}/`;
  put(work, 'deploy.sh', call);
  put(work, 'worker', call);
  put(work, 'serve', '[ -s "$GWTOKEN_TOKEN_FILE" ]');
  put(bin, 'tini', 'shift', 'exec "$@"');
  put(bin, 'docker', '[ -n "$GWTOKEN_ACCESS_TOKEN" ]');
  put(bin, 'terraform', '[ -n "$TF_VAR_token" ]');
  // Replaces sleep, so that the long-running script does not wait for a minute.
  put(bin, 'sleep');
  // A vault rejects a line in which the shell did not expand a variable.
  for (const vault of ['op', 'vault', 'aws', 'pass', 'age'])
    put(bin, vault, `case "$*" in *[\\$~]*) exit 1 ;; esac`, `printf '%s' '${ANSWER}'`);
}

/** Packs a release in the current directory, and serves it. Returns the variables of its URL and checksum. */
async function startRelease(bin: string, work: string) {
  const archive = join(work, 'gwtoken-0.1.0-linux-x64.tar.gz');
  writeFileSync(join(bin, 'gwtoken.1'), '');
  execFileSync('tar', ['-czf', archive, '-C', bin, 'gwtoken', 'gwtoken.1']);
  const bytes = readFileSync(archive);
  const SHA256 = createHash('sha256').update(bytes).digest('hex');
  writeFileSync(join(work, 'SHA256SUMS'), `${SHA256}  gwtoken-0.1.0-linux-x64.tar.gz\n`);
  // GitHub redirects downloads to another address.
  const { url } = await listen(
    createServer((request, response) => {
      if (request.url === '/objects/1') response.end(bytes);
      else response.writeHead(302, { location: '/objects/1' }).end();
    }),
  );
  return { RELEASE: `${url}/gwtoken.tar.gz`, SHA256 };
}

let examples: Examples;
beforeAll(async () => {
  if (missing('linux', 'bash', 'curl') === undefined) examples = await openExamples();
});

describe('the code in the documents', () => {
  test('is found in README, recipes and ci', () => {
    const scripts = sections.filter(({ script }) => script.trim() !== '').map(({ name }) => name);
    expect(scripts).toEqual(expect.arrayContaining(['Install', 'Azure Pipelines', ...Object.keys(CALLS)]));
    expect(scripts.length).toBeGreaterThan(15);
  });

  test.for(sections.filter(({ name, script }) => script.trim() !== '' && !OWN_TESTS.includes(name)))(
    '$name',
    async ({ name, files, script }, { needs }) => {
      needs('linux', 'bash', 'curl', ...(TOOLS[name] ?? []));
      const { calls, work, run, url } = openExample(examples);
      for (const [file, text] of files) writeFileSync(join(work, file), text.replaceAll(GATEWAY, url));
      // The examples of CI start with an unpacked release in the current directory.
      if (ci.some((each) => each.name === name)) await run('tar -xzf gwtoken-*.tar.gz');
      const { code, stdout, stderr } = await run(script);
      expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
      expect(calls).toEqual(Array(CALLS[name] ?? 0).fill('Bearer token-1'));
      if (name === 'jq') expect(stdout).toMatch(/^20\d\d-\d\d-\d\dT[\d:.]+Z\n$/);
    },
  );
});

test('the recipe for direnv stops if gwtoken fails', async ({ needs }) => {
  needs('linux', 'bash', 'curl', 'direnv');
  const { endpoint, calls, work, run } = openExample(await openExamples());
  endpoint.answer = () => ({ status: 401, body: { error: 'invalid_client' } });
  const { files, script } = sections.find(({ name }) => name === 'direnv')!;
  for (const [file, text] of files) writeFileSync(join(work, file), text);
  expect(await run(script)).toMatchObject({ code: 1 });
  expect(calls).toEqual([]);
});

test.for([
  ['a new token is accepted', 'token-2', 0],
  ['no token is accepted', 'none', 1],
] as const)('the recipe for 401 requests one new token: %s', async ([, accepts, code], { needs }) => {
  needs('linux', 'bash', 'curl');
  const { run, calls } = openExample(await openExamples({ accepts }));
  const { script } = recipes.find(({ name }) => name === AFTER_401)!;
  expect(await run(script)).toMatchObject({ code, stderr: '' });
  expect(calls).toEqual(['Bearer token-1', 'Bearer token-2']);
});

test('a CI job unpacks no release with a wrong checksum', async ({ needs }) => {
  needs('linux', 'bash', 'curl');
  const { run, calls } = openExample(examples);
  const { script } = sections.find(({ name }) => name.startsWith('In CI'))!;
  expect(await run(script, { SHA256: '0'.repeat(64) })).toMatchObject({ code: 1 });
  expect(calls).toEqual([]);
});

test('the credential command of each vault works', async ({ needs }) => {
  needs('linux', 'bash');
  const { script } = ci.find(({ name }) => name === VAULTS)!;
  const { endpoint, run } = openExample(await openExamples());
  const lines = [
    'unset GWTOKEN_AUTH_URL GWTOKEN_CLIENT_ID GWTOKEN_CLIENT_SECRET',
    `gwtoken config set auth-url ${endpoint.authUrl}`,
    // Each statement sets another command.
    script.split(/^(?=gwtoken )/m).join('gwtoken get\n'),
    'gwtoken get',
  ];
  const { code, stdout } = await run(lines.join('\n'));
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'token-1\ntoken-2\ntoken-3\ntoken-4\ntoken-5\n' });
  for (const post of endpoint.posts) expect(post.get('client_secret')).toBe('kept in a vault');
});

test('the Kubernetes worker in the YAML of ci has a token', async ({ needs }) => {
  needs('linux', 'bash', 'curl');
  const jobs = ci.flatMap(({ yaml }) => yaml.map((text) => parse(text)));
  expect(jobs.length).toBeGreaterThan(3);
  const { command, args } = jobs.find(({ spec }) => spec !== undefined).spec.containers[0];
  const { run, calls } = openExample(examples);
  const line = [...command, ...args].join(' ').replaceAll('/run/gwtoken', openDirectory());
  expect(await run(line)).toMatchObject({ code: 0, stderr: '' });
  expect(calls).toEqual(['Bearer token-1']);
});

test('the headersHelper of the recipes prints a header with the token', async ({ needs }) => {
  needs('linux', 'bash', 'curl');
  const { run } = openExample(examples);
  const topic = readFileSync(join(ROOT, 'src', 'cli', 'topics', 'recipes.md'), 'utf8');
  const [, helper = ''] = /"headersHelper": "([^"]+)"/.exec(topic) ?? [];
  expect(JSON.parse((await run(helper)).stdout)).toEqual({ Authorization: 'Bearer token-1' });
});
