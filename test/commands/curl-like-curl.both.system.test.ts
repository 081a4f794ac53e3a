/**
 * `gwtoken curl` beside plain curl: the same line of bash, run with one and with the other, sends the same
 * request, apart from the token's header, and has the same output and exit code.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { type Gateway, startGateway } from '../harness/endpoints/gateway';
import { tokenReply } from '../harness/endpoints/token-endpoint';
import { type Home, startClientHome } from '../harness/homes/home';
import { GWTOKEN_SH, runCommand } from '../harness/programs/program';

let home: Home;
let gateway: Gateway;
beforeAll(async () => {
  home = await startClientHome(() => tokenReply('the-token'));
  gateway = await startGateway();
  writeFileSync(join(home.dir, 'file'), 'a line\n');
  writeFileSync(join(home.dir, 'options'), 'user-agent = "from a file"\nheader = "x: 1"\n');
});

async function outcome(line: string, curl: string) {
  const { code, signal, stdout, stderr } = await runCommand(
    ['bash', '-c', line.replaceAll('CURL', curl).replaceAll('URL', gateway.url)],
    { env: home.env, cwd: home.dir },
  );
  // curl makes up a boundary for each form.
  const sent = JSON.stringify(gateway.requests.splice(0)).replace(/-{10,}\w+/g, 'BOUNDARY');
  // The time of a failed connection varies.
  const shown = stderr.replace(/after \d+ ms/, 'after N ms');
  return { code, signal, stdout, stderr: shown, requests: JSON.parse(sent) as Gateway['requests'] };
}

test.each([
  '{ CURL URL/a -sS; cat; } <file',
  `CURL 'URL/a?b=c#d' URL/b -sS -X DELETE -d '' -H 'x;' -H 'y: a  b' -w '%{http_code} %{num_connects}'`,
  'CURL URL/a -sS -F part=@<(echo a part) -F own=@file -F "name=a b" -o >(cat >&2); sleep 0.2',
  'CURL URL/a -sS -d @/dev/fd/4 -o /dev/fd/5 4<file 5>out; cat out',
  `zsh -fc "CURL URL/a -sS -d @<(echo a body)"`,
  'echo body | CURL URL/a -sS --proto =http,https -d @- -K options -K <(echo "header = other:1")',
  'CURL URL/a -sS -T - <file',
  'CURL URL/a -sS --proto =http,https -K - <<<\'header = "y: 2"\'',
  'CURL -sSf URL/missing',
  'CURL URL/a -sS -T /dev/fd/3 3<&-',
  'CURL URL/a -sS <&-',
])('gwtoken curl sends and returns what curl does: %s', async (line) => {
  const plain = await outcome(line, 'curl');
  const ours = await outcome(line, `${GWTOKEN_SH} curl`);
  const withToken = plain.requests.map((request) => ({
    ...request,
    headers: { ...request.headers, authorization: 'Bearer the-token' },
  }));
  expect(ours).toEqual({ ...plain, requests: withToken });
});

test.for([
  ['with a read-only root and /tmp', '/tmp', 'missing', { code: 0, stdout: 'the reply\n' }],
  ['without memory at /dev/shm', '/tmp /dev/shm', 'memory', { code: 0, stdout: 'the reply\n' }],
  ['without a writable directory', '/tmp /dev/shm', 'missing', { code: 125, stdout: '' }],
] as const)('gwtoken curl %s', async ([_, readOnly, directory, expected], { needs }) => {
  needs('namespace');
  const memory = join(home.dir, 'memory');
  mkdirSync(memory, { recursive: true });
  // Hides nothing, because the home, this clone or Node may lie in any of these directories.
  const script = `for each in ${readOnly}; do mount --bind $each $each; mount -o remount,ro,bind $each; done
    mount -t tmpfs none ${memory}; mount -o remount,ro,bind /; "$@"; code=$?; ls -A ${memory}; exit $code`;
  const wrapper = ['unshare', '-m', 'sh', '-c', script, 'sh'];
  const env = { GWTOKEN_NO_CACHE: '1', TMPDIR: join(home.dir, directory) };
  expect(await home.gwtoken(['curl', `${gateway.url}/a`, '-sS'], { wrapper, env })).toMatchObject(expected);
});
