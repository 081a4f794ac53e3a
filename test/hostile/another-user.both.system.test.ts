/** What another user of the machine can see, hold or slow down: .github/SECURITY.md names these. */
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { startTokenEndpoint, type TokenEndpoint, tokenReply } from '../harness/endpoints/token-endpoint';
import { SECRET, SECRET_FORMS, TOKEN } from '../harness/homes/canary';
import { inVariables, keychainEntry } from '../harness/homes/client';
import { openFolder } from '../harness/homes/folder';
import { processesWith, until } from '../harness/programs/processes';
import type { RunningProgram } from '../harness/programs/program';
import { lacking, openVictim, STRANGER, stranger, VICTIM } from './two-users';

const reason = lacking();
let endpoint: TokenEndpoint;
let victim: ReturnType<typeof openVictim>;
beforeEach(({ needs }) => {
  needs(reason);
});
beforeEach(async () => {
  endpoint = await startTokenEndpoint(() => tokenReply(TOKEN));
  victim = openVictim(inVariables(endpoint.authUrl, { clientId: 'client', clientSecret: SECRET }));
});

const success = { code: 0, stdout: `${TOKEN}\n`, stderr: '' };

/** A get whose request is not answered yet: it holds the lock. */
async function holdingGet(): Promise<{ running: RunningProgram; answer: () => void }> {
  const answer = endpoint.hold();
  const running = victim.start(['get']);
  await endpoint.arrived(1);
  return { running, answer };
}

/** All paths below the victim's folder, as root sees them. */
const pathsOf = (): string[] =>
  readdirSync(victim.dir, { recursive: true, encoding: 'utf8' }).map((name) => join(victim.dir, name));

/** Whatever the stranger got done with one of these paths. */
function trespasses(paths: readonly string[]): Promise<string[]> {
  return stranger<string[]>(
    `const done = [];
     const tried = (path, what, result) => { if (result === 'done') done.push(what + ' ' + path); };
     for (const path of input) {
       const isFolder = attempt(() => fs.readdirSync(path)) === 'done';
       if (isFolder) tried(path, 'list', 'done');
       tried(path, 'read', attempt(() => fs.readFileSync(path)));
       tried(path, 'follow', attempt(() => fs.readlinkSync(path)));
       tried(path, 'write', attempt(() => fs.closeSync(fs.openSync(path, 'r+'))));
       tried(path, 'put into', attempt(() => fs.writeFileSync(join(path, 'mine'), '')));
       tried(path, 'link', attempt(() => fs.linkSync(path, '/tmp/mine-' + process.pid)));
       tried(path, 'move', attempt(() => fs.renameSync(path, '/tmp/mine-' + process.pid)));
       tried(path, 'chmod', attempt(() => fs.chmodSync(path, 0o777)));
       tried(path, 'remove', attempt(() => fs.unlinkSync(path)));
       }
     tell(done);`,
    paths,
  );
}

describe('another user', () => {
  test('reads, changes and removes none of the files and locks', async () => {
    expect((await victim.gwtoken(['config', 'set', 'timeout', '9s'])).code).toBe(0);
    expect((await victim.gwtoken(['get', '--region', 'us'])).code).toBe(0);
    const ready = join(victim.dir, 'home', 'ready');
    const script = `>${ready}; exec sleep 60`;
    const tokenFile = join(victim.dir, 'home', 'token');
    const args = ['exec', '--region', 'us', '--token-file', tokenFile, '--', 'sh', '-c', script];
    const exec = victim.start(args);
    await until('the command', () => existsSync(ready));
    endpoint.posts.length = 0;
    const { running, answer } = await holdingGet();

    const paths = pathsOf();
    // There is something of each kind to be had.
    for (const kind of [/config\.json$/, /us\.token\.json$/, /home\/token$/, /\.lock$/])
      expect(paths.filter((path) => kind.test(path))).not.toEqual([]);
    const open = [victim.env['HOME']!, ready].map((path) =>
      path === ready ? `read ${path}` : `list ${path}`,
    );
    // What everybody may see the stranger does see; and nothing else.
    expect((await trespasses(paths)).sort()).toEqual(open.sort());
    // Even where the victim has opened the folders to all: the files and the locks have modes of their own.
    for (const folder of [victim.config, victim.cache])
      for (const path of [folder, join(folder, '..')]) chmodSync(path, 0o755);
    const done = (await trespasses(paths)).filter((each) => !open.includes(each));
    expect(done.filter((each) => !each.startsWith('list '))).toEqual([]);
    expect(done.filter((each) => each.includes('.lock'))).toEqual([]);

    answer();
    expect(await running.result).toMatchObject(success);
    exec.kill('SIGTERM');
    expect(await exec.result).toMatchObject({ signal: 'SIGTERM', stderr: '' });
  });

  test('who was in the cache’s place first gets no token and no lock, and serves none', async () => {
    const shared = openFolder();
    chmodSync(shared, 0o1777);
    const cache = join(shared, 'cache');
    const forged = keychainEntry(endpoint.authUrl, { accessToken: 'forged' });
    await stranger(
      `fs.mkdirSync(input.cache, { mode: 0o777 });
       fs.chmodSync(input.cache, 0o777);
       fs.writeFileSync(input.cache + '/default-production-eu.token.json', input.forged, { mode: 0o666 });
       tell(0);`,
      { cache, forged },
    );
    const env = { GWTOKEN_CACHE_DIR: cache };
    const before = readdirSync(cache, { recursive: true });
    const warning = `gwtoken: warning: token cache ignored: ${cache} belongs to another user (uid ${STRANGER})\n`;
    expect(await victim.gwtoken(['get'], { env })).toMatchObject({ ...success, stderr: warning });
    expect(readdirSync(cache, { recursive: true })).toEqual(before);
  });

  test('finds neither secret nor token in /proc, signals nothing, and no port is opened', async () => {
    const ready = join(victim.dir, 'home', 'ready');
    const exec = victim.start(['exec', '--', 'sh', '-c', `>${ready}; exec sleep 60`]);
    await until('the command', () => existsSync(ready));
    endpoint.posts.length = 0;
    const answer = endpoint.hold();
    const get = victim.start(['get', '--region', 'us']);
    await endpoint.arrived(1);
    const pids = processesWith(victim.dir).map((line) => line.split(' ', 1)[0]!);
    const seen = await stranger<{ read: Record<string, string>; signalled: string[] }>(
      `const read = {};
       const signalled = [];
       for (const pid of input) {
         let names = [];
         try { names = fs.readdirSync('/proc/' + pid); } catch {}
         for (const name of names) {
           try { read['/proc/' + pid + '/' + name] = fs.readFileSync('/proc/' + pid + '/' + name, 'latin1'); } catch {}
         }
         for (const name of ['fd', 'map_files', 'task/' + pid + '/fd'])
           try { read[name + ' of ' + pid] = fs.readdirSync('/proc/' + pid + '/' + name).join(); } catch {}
         for (const name of ['cwd', 'root', 'exe', 'fd/0'])
           try { read[name + ' of ' + pid] = fs.readlinkSync('/proc/' + pid + '/' + name); } catch {}
         for (const signal of ['SIGUSR1', 'SIGSTOP', 'SIGKILL', 'SIGQUIT'])
           if (attempt(() => process.kill(Number(pid), signal)) === 'done') signalled.push(pid);
       }
       tell({ read, signalled });`,
      pids,
    );
    // Helpers of gwtoken's may have ended meanwhile: gwtoken itself, twice, and its command have not.
    const lasting = pids.filter((pid) => existsSync(`/proc/${pid}`));
    expect(lasting.length).toBeGreaterThan(2);
    expect(Object.keys(seen.read)).toEqual(
      expect.arrayContaining(lasting.map((pid) => `/proc/${pid}/cmdline`)),
    );
    const private_ =
      /\/(environ|mem|maps|smaps|auxv|syscall|io)$|^(fd|map_files|task|cwd|root|exe|fd\/0)\S* of/;
    const readable = Object.entries(seen.read).filter(([, text]) => text !== '');
    expect(readable.map(([path]) => path).filter((path) => private_.test(path))).toEqual([]);
    const forms = [...SECRET_FORMS, /canary-token/i];
    expect(readable.filter(([, text]) => forms.some((form) => form.test(text)))).toEqual([]);
    expect(seen.signalled).toEqual([]);
    // State 0A listens; the eighth column is the owner.
    const listening = ['tcp', 'tcp6'].flatMap((name) =>
      readFileSync(`/proc/net/${name}`, 'latin1')
        .split('\n')
        .map((line) => line.trim().split(/\s+/))
        .filter(([, , , state, , , , uid]) => state === '0A' && uid === String(VICTIM)),
    );
    expect(listening).toEqual([]);

    answer();
    expect(await get.result).toMatchObject(success);
    exec.kill('SIGTERM');
    expect(await exec.result).toMatchObject({ signal: 'SIGTERM', stderr: '' });
  });

  test('has nothing of root’s in the home, whatever root runs there', async () => {
    const asRoot = { wrapper: [] };
    expect(await victim.gwtoken(['get'], asRoot)).toMatchObject(success);
    expect(await victim.gwtoken(['config', 'set', 'region', 'us'], asRoot)).toMatchObject({
      code: 2,
      stdout: '',
    });
    expect(readdirSync(victim.dir)).toEqual(['home']);
    expect(readdirSync(victim.env['HOME']!)).toEqual([]);
  });
});
