import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createTokenFile } from '../../src/system/files/token-files';
import { onCleanup } from '../harness/clean-up';
import { listen } from '../harness/endpoints/listen';
import { startTokenEndpoint, type TokenEndpoint, tokenReply } from '../harness/endpoints/token-endpoint';
import { inVariables, MACHINE } from '../harness/homes/client';
import { type Home, openHome } from '../harness/homes/home';
import { isRunning, until } from '../harness/programs/processes';
import { atMost, GWTOKEN_SH } from '../harness/programs/program';
import { untilWaiting } from '../token/many';

let endpoint: TokenEndpoint;
let home: Home;
let folder: string;
let end: string;
beforeEach(async () => {
  endpoint = await startTokenEndpoint();
  home = openHome(inVariables(endpoint.authUrl));
  folder = join(home.cache, 'exec');
  end = join(home.dir, 'end');
});

/** Runs until the file `end` appears; resolves when the command has told its process id. */
async function start(...flags: string[]) {
  const pidFile = join(home.dir, 'pid');
  const script = `echo $$ > '${pidFile}.new'; mv '${pidFile}.new' '${pidFile}'; while [ ! -e '${end}' ]; do sleep 0.05; done`;
  const args = ['exec', '--token-file', ...flags, '--', 'sh', '-c', script];
  const program = home.start(args, { detached: true, timeoutMs: 90_000 });
  await until('the command runs', () => existsSync(pidFile));
  const [name = ''] = readdirSync(folder).filter((each) => !each.endsWith('.tmp'));
  return { ...program, child: Number(readFileSync(pidFile, 'utf8')), path: join(folder, name) };
}
const finish = () => writeFileSync(end, '');

/** Holds the reply to the first renewal, however soon that comes, until the returned function is called. */
function holdRenewal(): () => void {
  let release = (): void => {};
  endpoint.answer = () => {
    release = endpoint.hold();
    return tokenReply('token', { expires_in: 2 });
  };
  return () => release();
}

describe('the token file', () => {
  test('is named to the command, has the token alone, and is for the user alone', async () => {
    const script = 'cat "$GWTOKEN_TOKEN_FILE"; echo "|$GWTOKEN_ACCESS_TOKEN|$GWTOKEN_TOKEN_FILE"';
    const result = await home.gwtoken(['exec', '--token-file', '--', 'sh', '-c', script]);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    const [content, token, path = ''] = result.stdout.trim().split('|');
    expect([content, token]).toEqual(['token-1', 'token-1']);
    expect(path.startsWith(`${folder}/token-`)).toBe(true);
    expect(existsSync(folder)).toBe(false);

    const { path: other, result: ended } = await start('--prefix', 'EU_');
    expect(statSync(other).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    finish();
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(folder)).toBe(false);
  });

  test('is touched as a sign that its owner lives', () => {
    const file = createTokenFile(folder, process, MACHINE, 'a token');
    utimesSync(file.path, new Date(0), new Date(0));
    const before = Date.now();
    file.touch();
    // A file's time may be behind by a tick of the kernel's clock.
    expect(statSync(file.path).mtimeMs).toBeGreaterThan(before - 100);
    expect(readFileSync(file.path, 'utf8')).toBe('a token');
  });

  test('that cannot be removed does not change how the command ends', async () => {
    // A folder in its place cannot be removed as a file, by root neither.
    const script = 'rm "$GWTOKEN_TOKEN_FILE"; mkdir "$GWTOKEN_TOKEN_FILE"; exit 7';
    const result = await home.gwtoken(['exec', '--token-file', '--', 'sh', '-c', script]);
    expect(result).toMatchObject({ code: 7, stdout: '', stderr: '' });
  });

  test('may lie in a folder with any name', async () => {
    const cache = join(home.dir, 'jürgen’s cache');
    const env = { GWTOKEN_CACHE_DIR: cache };
    const args = ['exec', '--token-file', '--', 'sh', '-c', 'cat "$GWTOKEN_TOKEN_FILE"'];
    expect(await home.gwtoken(args, { env })).toMatchObject({ code: 0, stdout: 'token-1', stderr: '' });
    expect(existsSync(cache)).toBe(true);
  });

  test('a prefix names its variable too, so that two clients can have one each', async () => {
    const inner = `${GWTOKEN_SH} exec --no-cache --token-file --prefix US_ --`;
    const script = `${inner} sh -c 'cat "$EU_TOKEN_FILE" "$US_TOKEN_FILE"'`;
    const both = { EU_TOKEN_FILE: '/old', US_TOKEN_FILE: '/old' };
    // The inner gwtoken needs the credentials that the outer one keeps from its command.
    const outer = `export GWTOKEN_CLIENT_ID=client GWTOKEN_CLIENT_SECRET=secret; ${script}`;
    const args = ['exec', '--token-file', '--prefix', 'EU_', '--', 'sh', '-c', outer];
    const result = await home.gwtoken(args, { env: both });
    expect(result).toMatchObject({ code: 0, stdout: 'token-1token-2', stderr: '' });
  });

  test('is renewed before the token expires, whole each time', async () => {
    endpoint.answer = (count) => tokenReply(`token-${count}-${'x'.repeat(20_000)}`, { expires_in: 2 });
    const began = Date.now();
    const { path, result } = await start();
    const seen = new Set<string>();
    while (seen.size < 3) {
      seen.add(readFileSync(path, 'latin1'));
      await new Promise((done) => setTimeout(done, 5));
    }
    finish();
    expect(await result).toMatchObject({ code: 0, stderr: '' });
    expect([...seen].filter((text) => !/^token-\d+-x{20000}$/.test(text))).toEqual([]);
    // Each is asked for at four fifths of its two seconds.
    expect(endpoint.posts.length - 1).toBeLessThanOrEqual((Date.now() - began) / 1600);
  });

  test('keeps the last token in an outage, warns once, and goes on when it is over', async () => {
    endpoint.answer = (count) =>
      count === 1 ? tokenReply('token-1', { expires_in: 2 }) : { status: 503, body: {} };
    const { path, result } = await start();
    await endpoint.arrived(2);
    expect(readFileSync(path, 'utf8')).toBe('token-1');
    await endpoint.arrived(3);
    endpoint.answer = () => tokenReply('token-after');
    await until('the outage is over', () => readFileSync(path, 'utf8') === 'token-after', 40_000);
    finish();
    const { code, stderr } = await result;
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^gwtoken: warning: the token file keeps the last token, which expires at [^\n]*503[^\n]*\n$/,
    );
  }, 90_000);

  test('gwtoken ends with the command, also while a renewal is under way', async () => {
    holdRenewal();
    const { result } = await start();
    await endpoint.arrived(2);
    const started = Date.now();
    finish();
    expect(await result).toMatchObject({ code: 0, stderr: '' });
    expect(Date.now() - started).toBeLessThan(await atMost(2000));
  });

  test('whoever waits for a renewal that ends with the command makes a request of its own', async ({
    skip,
  }) => {
    skip(process.platform !== 'linux', 'needs Linux: who waits is seen in /proc/net/unix');
    const answer = holdRenewal();
    const { result } = await start('--timeout', '60s');
    await endpoint.arrived(2);
    const other = home.start(['get']);
    await untilWaiting(home, 1);
    endpoint.answer = () => tokenReply('its own');
    finish();
    expect(await result).toMatchObject({ code: 0, stderr: '' });
    answer();
    expect(await other.result).toMatchObject({ code: 0, stdout: 'its own\n', stderr: '' });
    expect(endpoint.posts).toHaveLength(3);
  });

  test('the same where the reply had begun', async ({ skip }) => {
    skip(process.platform !== 'linux', 'needs Linux: who waits is seen in /proc/net/unix');
    let posts = 0;
    const server = createServer((request, response) => {
      const post = ++posts;
      request.resume();
      response.writeHead(200, { 'content-type': 'application/json' });
      if (post === 2) response.write('{');
      else response.end(JSON.stringify(tokenReply(post, post === 1 ? { expires_in: 2 } : {}).body));
    });
    const { url } = await listen(server);
    home = openHome(inVariables(url));
    folder = join(home.cache, 'exec');
    end = join(home.dir, 'end');
    const { result } = await start('--timeout', '60s');
    await until('the renewal is under way', () => posts === 2);
    const other = home.start(['get']);
    await untilWaiting(home, 1);
    finish();
    expect(await result).toMatchObject({ code: 0, stderr: '' });
    expect(await other.result).toMatchObject({ code: 0, stdout: 'token-3\n', stderr: '' });
  });

  test.for(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('goes with %s', async (signal) => {
    const { kill, result, child } = await start();
    kill(signal);
    expect(await result).toMatchObject({ code: null, signal, stdout: '', stderr: '' });
    expect(isRunning(child)).toBe(false);
    expect(existsSync(folder)).toBe(false);
  });

  test('what a killed gwtoken left, the next run sweeps, and what a living one has it leaves', async () => {
    const { pid, kill, result, child, path: left } = await start();
    kill('SIGKILL');
    await until('gwtoken has ended', () => !isRunning(pid));
    // What gwtoken could not end goes on, and ends by itself.
    expect([existsSync(left), isRunning(child)]).toEqual([true, true]);
    finish();
    await result;

    const living = home.start(['exec', '--token-file', '--', 'sleep', '30'], { detached: true });
    const files = () =>
      existsSync(folder) ? readdirSync(folder).filter((name) => !name.endsWith('.tmp')) : [];
    await until('there is another file in its place', () => files().length === 1 && !existsSync(left));
    const [kept = ''] = files();
    // Of another program, and of a machine that we cannot see, which may have been suspended: for less than a day, and
    // for more.
    const others = [
      'notes.txt',
      'token-00000000-1-1-0123456789abcdef',
      'token-00000000-1-1-0000000000000000',
    ];
    // Of a process that had the living one's id before it.
    const former = kept.replace(/-\d+-[0-9a-f]{16}$/, '-7-0123456789abcdef');
    for (const name of [...others, former]) writeFileSync(join(folder, name), '');
    const suspended = (name: string | undefined, hours: number) => {
      const since = new Date(Date.now() - hours * 3600 * 1000);
      utimesSync(join(folder, name ?? ''), since, since);
    };
    suspended(others.pop(), 25);
    suspended(others.at(-1), 23);

    // The file before was swept by a whole program, these by a run that only prints what is in the cache.
    expect(await home.gwtoken(['get'])).toMatchObject({ code: 0, stdout: 'token-1\n', stderr: '' });
    expect(readdirSync(folder).sort()).toEqual([kept, ...others].sort());
    living.kill('SIGTERM');
    await living.result;
  });

  test('that a killed gwtoken left is swept by a run that finds its token in the cache, too', async () => {
    expect((await home.gwtoken(['get'])).code).toBe(0);
    const { pid, kill, result, path: left } = await start();
    kill('SIGKILL');
    await until('gwtoken has ended', () => !isRunning(pid));
    finish();
    await result;
    expect(existsSync(left)).toBe(true);
    expect(await home.gwtoken(['get'])).toMatchObject({ code: 0, stdout: 'token-1\n', stderr: '' });
    expect(existsSync(folder)).toBe(false);
  });

  test('is refused, and the command not run, where the folder is not the user’s alone', async () => {
    const refused = async (problem: string) => {
      const args = ['exec', '--no-cache', '--token-file', '--', 'echo', 'ran'];
      const result = await home.gwtoken(args);
      expect(result).toMatchObject({
        code: 125,
        stdout: '',
        stderr: `gwtoken: error: cannot create a token file in ${problem}\nhint: set GWTOKEN_CACHE_DIR to a directory you own\n`,
      });
    };
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o777);
    await refused(`${folder}: it is writable by other users (mode 777)`);

    const elsewhere = join(home.dir, 'elsewhere');
    mkdirSync(join(elsewhere), { mode: 0o700 });
    const linked = join(home.dir, 'linked');
    mkdirSync(linked);
    symlinkSync(elsewhere, join(linked, 'exec'));
    home.env['GWTOKEN_CACHE_DIR'] = linked;
    await refused(`${linked}/exec: it is not a directory`);
    expect(readdirSync(elsewhere)).toEqual([]);

    home.env['GWTOKEN_CACHE_DIR'] = '/proc/none';
    await refused('/proc/none/exec (ENOENT)');
  });
});

describe('the folder of the token file', () => {
  const print = [
    'exec',
    '--no-cache',
    '--token-file',
    '--',
    'sh',
    '-c',
    'cd /; cat "$GWTOKEN_TOKEN_FILE"; echo "|$GWTOKEN_TOKEN_FILE"',
  ];

  test('is named from the root, wherever gwtoken was started', async () => {
    const result = await home.gwtoken(print, { env: { GWTOKEN_CACHE_DIR: 'relative' } });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(result.stdout).toMatch(/^token-1\|\/.*\/relative\/exec\/token-/);
  });

  test('is a new one where others can write to the cache’s', async ({ skip }) => {
    skip(process.platform === 'win32', 'needs POSIX modes');
    mkdirSync(home.cache, { recursive: true });
    chmodSync(home.cache, 0o777);
    const result = await home.gwtoken(print);
    expect(result.code).toBe(0);
    const [token, path = ''] = result.stdout.trim().split('|');
    expect(token).toBe('token-1');
    expect(path).toContain('/gwtoken-exec-');
    expect(existsSync(dirname(path))).toBe(false);
    expect(readdirSync(home.cache)).toEqual([]);

    const nowhere = join(home.dir, 'nowhere');
    expect(await home.gwtoken(print, { env: { TMPDIR: nowhere } })).toMatchObject({
      code: 125,
      stdout: '',
      stderr: `gwtoken: error: cannot create a directory for the token file in ${nowhere}\nhint: set GWTOKEN_CACHE_DIR to a directory you own\n`,
    });
  });

  test('that a killed gwtoken had to make is swept by the next exec, and one in use is not', async ({
    skip,
  }) => {
    skip(process.platform === 'win32', 'needs POSIX modes');
    mkdirSync(home.cache, { recursive: true });
    chmodSync(home.cache, 0o777);
    const temporary = join(home.dir, 'temporary');
    mkdirSync(temporary);
    const env = { TMPDIR: temporary };
    const made = () => readdirSync(temporary).filter((name) => name.startsWith('gwtoken-exec-'));

    const wait = `while [ ! -e '${end}' ]; do sleep 0.05; done`;
    const waiting = ['exec', '--no-cache', '--token-file', '--', 'sh', '-c', wait];
    const killed = home.start(waiting, { env, detached: true });
    await until('there is a directory', () =>
      made().some((name) => readdirSync(join(temporary, name)).length > 0),
    );
    const [left] = made();
    killed.kill('SIGKILL');
    await until('gwtoken has ended', () => !isRunning(killed.pid));
    expect(made()).toEqual([left]);

    const living = home.start(waiting, { env, detached: true });
    await until('there is another in its place', () => made().length === 1 && !made().includes(left!));
    const [kept] = made();
    expect(await home.gwtoken(print, { env })).toMatchObject({ code: 0, stderr: '' });
    expect(made()).toEqual([kept]);
    finish();
    await Promise.all([living.result, killed.result]);
    expect(made()).toEqual([]);
  });

  test('that has vanished is there again with the next token', () => {
    const file = createTokenFile(folder, process, MACHINE, 'the first');
    rmSync(folder, { recursive: true });
    file.touch();
    file.replace('the second');
    expect(readFileSync(file.path, 'utf8')).toBe('the second');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  test('may vanish whenever another exec ends', { timeout: 120_000 }, async () => {
    const stop = startRemoving(folder);
    const runs = Array.from({ length: 16 }, () =>
      home.gwtoken(['exec', '--no-cache', '--token-file', '--', 'true']),
    );
    const ended = await Promise.all(runs);
    stop();
    expect(ended.map(({ code, stderr }) => `${code}${stderr}`)).toEqual(ended.map(() => '0'));
  });
});

/** Removes the folder whenever it is empty, as each exec does at its end, only more often. */
function startRemoving(path: string): () => void {
  const remover = spawn('sh', ['-c', 'while :; do rmdir "$0" 2>/dev/null; done', path]);
  onCleanup(() => void remover.kill('SIGKILL'));
  return () => void remover.kill('SIGKILL');
}
