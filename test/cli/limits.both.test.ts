/** What the system refuses: files, memory, processes, a home. Each is said in one line, and blamed on nobody else. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startTokenEndpoint } from '../harness/endpoints/token-endpoint';
import { inVariables } from '../harness/homes/client';
import { openHome } from '../harness/homes/home';
import { FORM, notPackage, runProgram } from '../harness/programs/program';
import { asFunction, programWith } from '../system/keychain/keytar-in-place';

const noUlimit = process.platform === 'win32' ? 'needs a POSIX shell: ulimit' : undefined;
const limited = (limit: string) => ['sh', '-c', `ulimit ${limit} && exec "$@"`, 'sh'];

test.for([false, true])(
  'with too few open files it says so, whatever it was that could not be opened (credential command: %s)',
  async (hasCommand, { skip }) => {
    skip((notPackage ?? noUlimit) !== undefined, notPackage ?? noUlimit);
    const { authUrl } = await startTokenEndpoint();
    const home = openHome(
      hasCommand ? { GWTOKEN_REGION: 'eu', GWTOKEN_AUTH_URL: authUrl } : inVariables(authUrl),
    );
    const credentials = JSON.stringify({ client_id: 'a', client_secret: 'b', auth_url: authUrl });
    if (hasCommand) await home.gwtoken(['config', 'set', 'credential-command', `echo '${credentials}'`]);
    const seen = new Set<string>();
    for (let files = 17; files <= 24; files++) {
      const { code, stderr } = await home.gwtoken(['get', '--no-cache'], { wrapper: limited(`-n ${files}`) });
      // Node itself, before the first line of gwtoken.
      if (/^node:/.test(stderr) || code === null) continue;
      seen.add(`${code} ${stderr}`);
    }
    const said =
      'gwtoken: error: cannot open more files: a system limit is reached (EMFILE)\n' +
      'hint: to raise the limit, run: ulimit -n 1024\n' +
      (hasCommand ? 'hint: or set GWTOKEN_CLIENT_ID_EU and GWTOKEN_CLIENT_SECRET_EU\n' : '');
    expect(seen).toEqual(new Set([`1 ${said}`, '0 ']));
  },
);

test('without the memory for the parser of replies it says so, and asks nobody', async ({ skip }) => {
  const reason =
    notPackage ?? noUlimit ?? (process.platform === 'linux' ? undefined : 'needs Linux: ulimit -v');
  skip(reason !== undefined, reason);
  const endpoint = await startTokenEndpoint();
  const home = openHome(inVariables(endpoint.authUrl));
  const { code, stdout, stderr } = await home.gwtoken(['get'], { wrapper: limited('-v 8000000') });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toBe(
    'gwtoken: error: cannot reserve more memory: a system limit is reached\n' +
      'hint: to raise the limit, run: ulimit -v unlimited; or set NODE_OPTIONS=--disable-wasm-trap-handler\n',
  );
  const env = { NODE_OPTIONS: '--disable-wasm-trap-handler' };
  expect(await home.gwtoken(['get'], { wrapper: limited('-v 8000000'), env })).toMatchObject({
    code: 0,
    stderr: '',
  });
});

/** Starts it as a user who has no other process, for root has no such limit; but who may read the clone, wherever it is. */
const withTasks = (most: number) => {
  const uid = 100_000 + process.pid;
  const user = ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'];
  const reading = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override', '--'];
  return ['timeout', '5', ...user, ...reading, 'prlimit', `--nproc=${most}`, '--'];
};

/** A run that has its credentials. */
const REACHED = '6 could not reach 127.0.0.1:9: connection refused';
const NO_MORE = '1 cannot start more processes: a system limit is reached (EAGAIN)';
const COMES_TO_NOTHING = /^5 the keychain module (crashed|did not start within 1 s)$/;

test('with too few processes for the keychain it says so, or names the limit for a child that comes to nothing', async ({
  skip,
}) => {
  skip(process.platform !== 'linux', 'needs Linux: setpriv(1), prlimit(1)');
  skip(process.getuid?.() !== 0, 'needs root: it plays another user');
  const item = '{"client_id":"a","client_secret":"b","auth_url":"http://127.0.0.1:9"}';
  const { home, copy } = programWith(asFunction(`async () => ${JSON.stringify(item)}`));
  const seen = new Set<string>();
  const meet = async (tasks: number): Promise<void> => {
    const options = { wrapper: withTasks(tasks), program: copy.program };
    const { code, stderr } = await home.gwtoken(['get'], {
      ...options,
      env: { GWTOKEN_KEYCHAIN_TIMEOUT: '1' },
    });
    const said = stderr.replace(/^node\[\d+\]: pthread_create: .*\n/gm, '');
    // Node and Bun themselves, which lack a thread: they say so, abort, or hang.
    if (/^(={60}\nBun |\n {2}#)/.test(said) || (said === '' && code !== null && code >= 124)) return;
    expect(said).toMatch(/^gwtoken: error: .*\nhint: /);
    expect(said).not.toMatch(/^ {4}at /m);
    const line = said.split('\n')[0] ?? '';
    seen.add(`${code} ${line.replace(/^gwtoken: error: /, '')}`);
    if (code !== 6) expect(said).toMatch(/ulimit -u/);
  };
  // Each form has threads of its own, the first ones before the first line of gwtoken.
  const first = FORM === 'executable' ? 3 : 6;
  let most = first;
  for (; !seen.has(REACHED); most++) await meet(most);
  // How many there are when a child is started is a matter of chance: none may have been refused.
  for (let run = 0; !seen.has(NO_MORE) && run < 50; run++) await meet(first + (run % (most - first)));
  expect([...seen].filter((line) => !COMES_TO_NOTHING.test(line)).sort()).toEqual([NO_MORE, REACHED]);
});

test.skipIf(process.platform === 'win32')(
  'a HOME that is relative, or not there, gets nothing made in it',
  async () => {
    const endpoint = await startTokenEndpoint();
    const home = openHome();
    const missing = join(home.dir, 'no', 'home');
    for (const HOME of ['relative', missing, `${missing}/`]) {
      const env = { ...inVariables(endpoint.authUrl), HOME };
      const options = { env, cwd: home.dir };
      expect(await runProgram(['get'], options)).toMatchObject({ code: 0, stderr: '' });
      const set = await runProgram(['config', 'set', 'timeout', '5s'], options);
      expect(set.code).not.toBe(0);
      expect(set.stderr).toMatch(/^gwtoken: error: .*\nhint: set .*GWTOKEN_CONFIG_DIR/);
      const doctor = await runProgram(['doctor', '--json'], options);
      expect(doctor.stdout).toMatch(/"name":"cache","result":"warning"/);
    }
    expect(existsSync(join(home.dir, 'no'))).toBe(false);
    expect(readdirSync(home.dir)).not.toContain('relative');
  },
);
