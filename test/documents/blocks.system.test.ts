/** Runs the code of README and topics as printed, section by section, in each shell that a reader may paste it into. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { codeBlocks, indentedBlocks, linesInTables } from '../harness/command-lines';
import { listen } from '../harness/endpoints/listen';
import { type Answer, startTokenEndpoint, tokenReply } from '../harness/endpoints/token-endpoint';
import { inVariables } from '../harness/homes/client';
import { openDirectories, openDirectory } from '../harness/homes/directory';
import { missing } from '../harness/needs';
import { executable, linkProgram, runCommand } from '../harness/programs/program';
import { ROOT } from '../harness/root';

/** The options of each shell. An interactive zsh, as macOS has it, takes the words of a comment for arguments. */
const SHELLS = {
  bash: ['-eo', 'pipefail'],
  dash: ['-e'],
  zsh: ['-fieo', 'pipefail'],
  fish: ['--no-config'],
} as const;
type Shell = keyof typeof SHELLS;
/** The shells that run a block, by its language. */
const SHELLS_OF: Readonly<Record<string, readonly Shell[]>> = {
  sh: ['bash', 'dash', 'zsh'],
  bash: ['bash', 'zsh'],
  fish: ['fish'],
};

/** Blocks that cannot run here, by their first words, with the reason. */
const LEFT_OUT: readonly (readonly [RegExp, reason: string])[] = [
  [/^(GWTOKEN_|HTTPS_PROXY=|\{|\$ )/, 'is no command'],
  [/^gwtoken log(in|out)\b/, 'prompts: test/commands and test/system/keychain answer it'],
  [/^npm /, 'installs or tests this clone: test/package'],
  [/^security /, 'needs macOS'],
  [/^sh bash zsh/, 'has a line for each shell, some of which nobody has here: test/shells'],
  [/^printf|^export KEYRING_PASSWORD/, 'needs a keyring: keychain-items.system.test.ts'],
];

const GATEWAY = 'https://gateway.example.com';
/** What stands in the texts for the reader's own words. */
const PLACEHOLDERS = { ' URL': ` ${GATEWAY}`, COMMAND: 'true', '-file FILE': '-file ./token' };

interface Section {
  readonly file: string;
  /** The heading. */
  readonly name: string;
  readonly text: string;
}

/** A line of a CI system's job that runs one of these programs. */
const JOB_LINE = /^ *(?:- )?(?:run: |bash: |sh ')?((?:\.\/gwtoken|curl|echo|tar) .*?)'?$/gm;

/** Returns the code to run: lines in tables and in a CI system's job, indented blocks, and blocks without a file. */
function codesOf({ text }: Section): { readonly language: string; readonly code: string }[] {
  const isJob = ({ language }: { language: string }) => /yaml|groovy/.test(language);
  const fenced = codeBlocks(text).filter(({ file }) => file === undefined);
  const jobs = fenced.filter(isJob).flatMap(({ code }) => [...code.matchAll(JOB_LINE)]);
  const lines = [...linesInTables(text), ...indentedBlocks(text), ...jobs.map(([, line]) => line)];
  const asShell = lines.map((code) => ({ language: 'sh', code: `${code}\n` }));
  return [...asShell, ...fenced.filter((block) => !isJob(block))];
}

const TOPICS = 'src/cli/topics';
const sections = ['README.md', ...readdirSync(join(ROOT, TOPICS)).map((name) => `${TOPICS}/${name}`)]
  .filter((file) => file.endsWith('.md'))
  .flatMap((file) =>
    readFileSync(join(ROOT, file), 'utf8')
      .split(/^##? /m)
      .map((text): Section => ({ file, name: text.split('\n')[0]!, text })),
  );
const section = (name: string): Section => sections.find((each) => each.name.startsWith(name))!;

/** Returns the code of a section that a shell runs. */
function scriptOf(of: Section, shell: Shell): string {
  const isRun = (code: string) => !LEFT_OUT.some(([words]) => words.test(code));
  return codesOf(of)
    .filter(({ language, code }) => SHELLS_OF[language]?.includes(shell) && isRun(code))
    .map(({ code }) => code)
    .join('');
}

const TOOLS = ['curl', 'httpie', 'git', 'python3', 'make', 'direnv'] as const;
/** Number of the gateway's calls by section. The fourth call fails, which ends the loop of the long-running script. */
const CALLS: Readonly<Record<string, number>> = {
  'Get started': 1,
  'In CI, or in a terminal without a keychain': 1,
  'CI, containers and other machines without a keychain': 1,
  'The auth URL and the API URL': 1,
  'What leaks a token': 2,
  curl: 3,
  'Long-running scripts': 4,
  'When the API answers 401': 1,
  'GitLab CI': 1,
  Jenkins: 1,
  ...{ git: 2, gwtoken: 1, HTTPie: 1, 'Node.js': 1, Python: 1, make: 1, direnv: 1 },
};

type Examples = Awaited<ReturnType<typeof openExamples>>;

/** Opens what the examples call: a token endpoint, the gateway, a release to download, and programs on PATH. */
async function openExamples({ accepts = 'token-1', answer = (_post: number): Answer => tokenReply(1) } = {}) {
  const endpoint = await startTokenEndpoint(answer);
  const gateway = await startGateway(accepts);
  const [bin, files] = [openDirectory(), openDirectory()];
  const PATH = linkProgram(bin, [executable()]);
  putPrograms(bin, files, gateway.url);
  const release = await startRelease(bin, files);
  return { endpoint, gateway, files, variables: { ...inVariables(endpoint.authUrl), ...release, PATH } };
}

const refuse = () => ({ status: 401, body: { error: 'invalid_client' } });

/** Opens a home and a current directory for one example. */
function openExample({ endpoint, gateway, files, variables }: Examples) {
  const { dir, env } = openDirectories();
  const work = join(dir, 'work');
  cpSync(files, work, { recursive: true });
  gateway.calls.length = 0;
  const BASH_ENV = join(dir, 'bash-env');
  writeFileSync(BASH_ENV, '');
  const filled = (text: string) =>
    Object.entries({ ...PLACEHOLDERS, [GATEWAY]: gateway.url }).reduce(
      (filling, [from, to]) => filling.replaceAll(from, to),
      text,
    );
  return {
    endpoint,
    calls: gateway.calls,
    /** Writes the blocks that have the name of a file on the line above them. */
    write: ({ text }: Section) => {
      for (const { file, code } of codeBlocks(text)) if (file) writeFileSync(join(work, file), filled(code));
    },
    run: (script: string, shell: Shell = 'bash', more: Readonly<Record<string, string>> = {}) => {
      const words = [`/usr/bin/${shell}`, ...SHELLS[shell]] as const;
      const options = { env: { ...env, ...variables, BASH_ENV, ...more }, cwd: work };
      // fish reads no script from a socket. Programs must not read the lines that follow theirs.
      if (shell === 'fish') return runCommand([...words, '-c', filled(script)], options);
      return runCommand(words, { ...options, stdin: `(${filled(script)}\n) </dev/null\n` });
    },
  };
}

/** Starts a gateway that accepts this token, also as an empty Git repository. Its fourth answer is an error. */
async function startGateway(accepted: string) {
  const calls: (string | undefined)[] = [];
  const { url } = await listen(
    createServer(({ headers: { authorization } }, response) => {
      calls.push(authorization);
      const status = calls.length === 4 ? 503 : authorization === `Bearer ${accepted}` ? 200 : 401;
      response.writeHead(status).end();
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
  // These stand for tools that are large. Each recipe was tried with the real one.
  const noToken = 'case "$*" in *token-1*) exit 1 ;; esac';
  for (const tool of ['docker', 'bru', 'httpyac', 'npm', 'ansible-playbook', 'artillery'])
    put(bin, tool, noToken, '[ "$GWTOKEN_ACCESS_TOKEN" = token-1 ]');
  put(bin, 'terraform', noToken, '[ "$TF_VAR_token" = token-1 ]');
  put(bin, 'newman', noToken, `grep -q '"value":"token-1"' "$4"`);
  put(bin, 'pm2', '[ "$1 $2" = "start gwtoken" ]', 'shift 5', 'exec gwtoken "$@"');
  // Replaces sleep, so that the long-running script does not wait for a minute.
  put(bin, 'sleep');
  // A vault rejects a line in which the shell did not expand a variable.
  for (const vault of ['op', 'vault', 'aws', 'pass', 'age'])
    put(
      bin,
      vault,
      `case "$*" in *[\\$~]*) exit 1 ;; esac`,
      `printf '{"client_id":"client","client_secret":"kept in a vault"}'`,
    );
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
  if (missing('linux', 'curl') === undefined) examples = await openExamples();
});

describe.each(Object.keys(SHELLS) as Shell[])('%s runs the code of', (shell) => {
  const inShell = sections.filter((each) => scriptOf(each, shell) !== '');
  test.for(inShell.map((each) => [`${each.file}: ${each.name}`, each] as const))(
    '%s',
    async ([, each], { needs }) => {
      needs('linux', shell, ...TOOLS);
      const { calls, run, write } = openExample(examples);
      write(each);
      // The examples of CI start with an unpacked release in the current directory.
      if (each.file.endsWith('/ci.md')) await run('tar -xzf gwtoken-*.tar.gz');
      const { code, stderr } = await run(scriptOf(each, shell), shell);
      expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
      const expected = shell === 'fish' ? 0 : (CALLS[each.name] ?? 0);
      expect(calls).toEqual(Array(expected).fill('Bearer token-1'));
    },
  );
});

test('the recipe for direnv stops if gwtoken fails', async ({ needs }) => {
  needs('linux', 'bash', 'curl', 'direnv');
  const { calls, run, write } = openExample(await openExamples({ answer: refuse }));
  write(section('direnv'));
  expect(await run(scriptOf(section('direnv'), 'bash'))).toMatchObject({ code: 1 });
  expect(calls).toEqual([]);
});

test.for([
  ['a new token is accepted', 'token-2', 0],
  ['no token is accepted', 'none', 1],
] as const)('the recipe for 401 requests one new token: %s', async ([, accepts, code], { needs }) => {
  needs('linux', 'zsh', 'curl');
  const { run, calls } = openExample(await openExamples({ accepts, answer: tokenReply }));
  const script = scriptOf(section('When the API answers 401'), 'zsh');
  expect(await run(script, 'zsh')).toMatchObject({ code });
  expect(calls).toEqual(['Bearer token-1', 'Bearer token-2']);
});

test('a CI job unpacks no release with a wrong checksum', async ({ needs }) => {
  needs('linux', 'bash', 'curl');
  const { run, calls } = openExample(examples);
  const script = scriptOf(section('In CI'), 'bash');
  expect(await run(script, 'bash', { SHA256: '0'.repeat(64) })).toMatchObject({ code: 1 });
  expect(calls).toEqual([]);
});

test('the credential command of each vault works', async ({ needs }) => {
  needs('linux', 'bash');
  const { endpoint, run } = openExample(await openExamples({ answer: tokenReply }));
  const lines = [
    'unset GWTOKEN_AUTH_URL GWTOKEN_CLIENT_ID GWTOKEN_CLIENT_SECRET',
    `gwtoken config set auth-url ${endpoint.authUrl}`,
    // Each statement sets another command.
    scriptOf(section('Credentials from a command'), 'bash')
      .split(/^(?=gwtoken )/m)
      .join('gwtoken get\n'),
    'gwtoken get',
  ];
  const { code, stdout } = await run(lines.join('\n'));
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'token-1\ntoken-2\ntoken-3\ntoken-4\ntoken-5\n' });
  for (const post of endpoint.posts) expect(post.get('client_secret')).toBe('kept in a vault');
});

test('the Kubernetes worker in the YAML of ci has a token', async ({ needs }) => {
  needs('linux', 'bash', 'curl');
  const { containers } = parse(codeBlocks(section('Kubernetes').text)[0]!.code).spec;
  const { run, calls } = openExample(examples);
  const line = [...containers[0].command, ...containers[0].args].join(' ');
  const result = await run(line.replaceAll('/run/gwtoken', openDirectory()));
  expect(result).toMatchObject({ code: 0, stderr: '' });
  expect(calls).toEqual(['Bearer token-1']);
});

test('the headersHelper of the recipes prints a header with the token', async ({ needs }) => {
  needs('linux', 'bash', 'curl');
  const { run } = openExample(examples);
  const [block] = codeBlocks(section('MCP').text);
  const { stdout } = await run(JSON.parse(block!.code).mcpServers.gateway.headersHelper);
  expect(JSON.parse(stdout)).toEqual({ Authorization: 'Bearer token-1' });
});
