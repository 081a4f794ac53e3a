/** What stays inside gwtoken's own process: its memory, its variables, and the bytes that it was given. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { helperEnvironment, leaveNoCore } from '../../../src/system/processes/privacy';
import { procStat } from '../../../src/system/processes/proc-stat';
import { onCleanup } from '../../harness/clean-up';
import { startTokenEndpoint, type TokenEndpoint, tokenReply } from '../../harness/endpoints/token-endpoint';
import { SECRET, SECRET_FORMS } from '../../harness/homes/canary';
import { inVariables, withoutVariables } from '../../harness/homes/client';
import { type Home, openHome } from '../../harness/homes/home';
import { until } from '../../harness/programs/processes';
import { notPackage, runProgram, startProgram } from '../../harness/programs/program';
import { programWith } from '../keychain/keytar-in-place';
import { inNamespace, namespaceUnavailable } from '../keychain/namespaces';

const LINUX = process.platform === 'linux';

let endpoint: TokenEndpoint;
let home: Home;
beforeEach(async () => {
  endpoint = await startTokenEndpoint(() => tokenReply('the-token'));
  home = openHome(inVariables(endpoint.authUrl, { clientId: 'client', clientSecret: SECRET }));
});

/** A program whose request the endpoint does not answer while the test looks on. */
async function startAsking(...call: Parameters<Home['start']>) {
  endpoint.hold();
  const running = home.start(...call);
  await endpoint.arrived(1);
  return running;
}

describe.skipIf(process.platform === 'win32')('SIGUSR1', () => {
  test.each([['get'], ['env'], ['exec', '--', 'true']])('ends %s, and opens no debugger', async (...args) => {
    const running = await startAsking(args);
    running.kill('SIGUSR1');
    const { signal, stderr } = await running.result;
    expect({ signal, stderr }).toEqual({ signal: 'SIGUSR1', stderr: '' });
  });

  test('reaches the command of exec', async () => {
    const ready = join(home.dir, 'ready');
    const script = `trap 'echo heard; exit 3' USR1; >'${ready}'; while :; do sleep 0.05; done`;
    const running = home.start(['exec', '--', 'sh', '-c', script]);
    await until('the command', () => existsSync(ready));
    running.kill('SIGUSR1');
    expect(await running.result).toMatchObject({ code: 3, stdout: 'heard\n', stderr: '' });
  });

  test('ends the keychain’s child, which has the secret too', async () => {
    const { run } = programWith("process.kill(process.pid, 'SIGUSR1'); while (true);");
    const { code, stderr } = await run(['get', '--verbose']);
    expect(code).toBe(5);
    expect(stderr).toContain('the keychain process ended: SIGUSR1');
  });
});

describe.runIf(LINUX)('a core file', () => {
  const pattern = LINUX ? readFileSync('/proc/sys/kernel/core_pattern', 'latin1').trim() : '';
  const dumpHere = ['sh', '-c', 'ulimit -c unlimited && exec "$@"', 'sh'];

  test('of gwtoken has nothing of the secret', async ({ skip }) => {
    skip(/[|/]/.test(pattern), `this machine puts core files elsewhere: ${pattern}`);
    const cwd = join(home.dir, 'cwd');
    mkdirSync(cwd);
    const running = await startAsking(['get'], { cwd, wrapper: dumpHere });
    running.kill('SIGQUIT');
    expect((await running.result).signal).toBe('SIGQUIT');
    const cores = readdirSync(cwd).filter((name) => name.startsWith('core'));
    expect(cores).toHaveLength(1);
    const core = readFileSync(join(cwd, cores[0]!)).toString('latin1');
    expect(core.slice(1, 4)).toBe('ELF');
    expect(SECRET_FORMS.filter((form) => form.test(core))).toEqual([]);
  });

  test.each([['get'], ['env'], ['exec', '--', 'true']])(
    'of %s would have no memory in it, wherever the machine puts it',
    async (...args) => {
      const running = await startAsking(args);
      const filter = readFileSync(`/proc/${running.pid}/coredump_filter`, 'latin1');
      running.kill('SIGTERM');
      await running.result;
      expect(Number.parseInt(filter, 16)).toBe(0);
    },
  );

  test('has none either while a cached token waits for the secret’s file', async () => {
    const pipe = join(home.dir, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const env = {
      ...withoutVariables(home.env),
      GWTOKEN_CLIENT_ID: 'client',
      GWTOKEN_CLIENT_SECRET_FILE: pipe,
    };
    expect((await home.gwtoken(['get'])).code).toBe(0);
    const running = startProgram(['get'], { env });
    // Opens once gwtoken reads.
    const writer = await open(pipe, 'w');
    const filter = readFileSync(`/proc/${running.pid}/coredump_filter`, 'latin1');
    await writer.writeFile(SECRET);
    await writer.close();
    expect(await running.result).toMatchObject({ code: 0, stdout: 'the-token\n' });
    expect(endpoint.posts).toHaveLength(1);
    expect(Number.parseInt(filter, 16)).toBe(0);
  });

  test('of the keychain’s child leaves its memory out as well', async () => {
    const { run } = programWith(
      `const { readFileSync, writeFileSync } = require('node:fs');
      writeFileSync(${JSON.stringify(join(home.dir, 'filter'))}, readFileSync('/proc/self/coredump_filter'));
      process.exit(1);`,
    );
    expect((await run(['get'])).code).toBe(5);
    expect(Number.parseInt(readFileSync(join(home.dir, 'filter'), 'latin1'), 16)).toBe(0);
  });

  test.each([
    ['exec', (line: string) => ['exec', '--', 'sh', '-c', line]],
    ['a credential command', () => ['get']],
  ])('of what %s runs is as it would be without gwtoken, and gwtoken’s own is not', async (what, args) => {
    const [seen, own] = [join(home.dir, 'seen'), join(home.dir, 'own')];
    // It may run before gwtoken is told that it does.
    const untilSet = `for _ in $(seq 100); do grep -q '^0*$' /proc/$PPID/coredump_filter && break; sleep 0.05; done`;
    const filters = `cat /proc/self/coredump_filter >'${seen}'; ${untilSet}; cat /proc/$PPID/coredump_filter >'${own}'`;
    const line = `${filters}; echo '{"client_id":"a","client_secret":"b"}'`;
    home.configure({ region: 'eu', 'auth-url': endpoint.authUrl, 'credential-command': line });
    // Without variables, get asks the command.
    const { code } = await runProgram(args(line), {
      env: what === 'exec' ? home.env : withoutVariables(home.env),
    });
    expect(code).toBe(0);
    expect(readFileSync(seen, 'latin1')).toBe(readFileSync('/proc/self/coredump_filter', 'latin1'));
    expect(Number.parseInt(readFileSync(own, 'latin1'), 16)).toBe(0);
  });
});

test.runIf(LINUX)('a core file has none again where what was to be started is not', () => {
  const file = '/proc/self/coredump_filter';
  const ownFilter = () => Number.parseInt(readFileSync(file, 'latin1'), 16);
  const before = ownFilter();
  onCleanup(() => writeFileSync(file, String(before)));
  const onDarwin = leaveNoCore({ platform: 'darwin' });
  expect([ownFilter(), onDarwin(ownFilter)]).toEqual([before, before]);
  const withCoreDumps = leaveNoCore({ platform: 'linux' });
  expect([ownFilter(), withCoreDumps(ownFilter), ownFilter()]).toEqual([0, before, 0]);
  const failing = () => {
    throw new Error('spawn E2BIG');
  };
  expect(() => withCoreDumps(failing)).toThrow('spawn E2BIG');
  expect(ownFilter()).toBe(0);
});

test('a program that gwtoken runs for its own ends gets what every one needs, and what it reads itself', () => {
  const env = {
    PATH: '/bin',
    SystemRoot: 'C:\\Windows',
    HOME: '/home',
    LC_ALL: 'de',
    GWTOKEN_CLIENT_SECRET: 'x',
  };
  expect(helperEnvironment(env, 'HOME', 'XDG_RUNTIME_DIR')).toStrictEqual({
    PATH: '/bin',
    SystemRoot: 'C:\\Windows',
    HOME: '/home',
    LC_ALL: 'C',
  });
});

describe.runIf(LINUX)('a program that gwtoken runs for its own ends', () => {
  /** Programs of these names, first in PATH, that write down their environment and fail. */
  function spies(...names: string[]): { env: Record<string, string>; seen(name: string): string[] } {
    const bin = join(home.dir, 'bin');
    mkdirSync(bin);
    for (const name of names) {
      writeFileSync(join(bin, name), `#!/bin/sh\nexec env >'${join(bin, `${name}.env`)}'\n`);
      chmodSync(join(bin, name), 0o755);
    }
    return {
      env: { PATH: `${bin}:${process.env['PATH']}` },
      seen: (name) =>
        readFileSync(join(bin, `${name}.env`), 'utf8')
          .trim()
          .split('\n')
          .map((line) => line.split('=', 1)[0]!)
          .filter((variable) => !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(variable))
          .sort(),
    };
  }

  test('to look up a name gets no variable but its own', async () => {
    const { env: path, seen } = spies('getent');
    const more = {
      ...path,
      GWTOKEN_AUTH_URL: 'https://id.gwtoken.invalid',
      RES_OPTIONS: 'attempts:1',
      AWS_SECRET: SECRET,
    };
    expect((await home.gwtoken(['get', '--retries', '0'], { env: more })).code).toBe(6);
    expect(seen('getent')).toEqual(['LC_ALL', 'PATH', 'RES_OPTIONS']);
  });

  test('to ask the bus gets no variable but the bus’s', async () => {
    const { env: path, seen } = spies('dbus-send', 'busctl', 'gdbus');
    const { run } = programWith('module.exports = { getPassword: async () => null };');
    const bus = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere', XDG_RUNTIME_DIR: '/nowhere' };
    await run(['get'], { ...path, ...bus, GWTOKEN_CLIENT_SECRET_US: SECRET });
    expect(seen('dbus-send')).toEqual([
      'DBUS_SESSION_BUS_ADDRESS',
      'HOME',
      'LC_ALL',
      'PATH',
      'XDG_RUNTIME_DIR',
    ]);
  });
});

describe.skipIf(process.platform === 'win32')('bytes that are not UTF-8', () => {
  const withArgument = (bytes: string) => ['sh', '-c', `exec "$@" "$(printf '${bytes}')"`, 'sh'];
  const withVariable = (name: string, bytes: string) => [
    'sh',
    '-c',
    `${name}=$(printf '${bytes}') exec "$@"`,
    'sh',
  ];
  const BAD = 'x\\377';

  test('in an argument of exec’s command are refused, and no other file is touched', async () => {
    const other = join(home.dir, 'x\uFFFD');
    writeFileSync(other, '');
    const options = { cwd: home.dir, wrapper: withArgument(BAD) };
    const { code, stdout, stderr } = await home.gwtoken(['exec', '--', 'rm'], options);
    expect({ code, stdout }).toEqual({ code: 125, stdout: '' });
    expect(stderr).toBe(
      'gwtoken: error: the argument "x\uFFFD" is not UTF-8, so the command would get different bytes\n' +
        'hint: run the command without gwtoken exec, after: eval $(gwtoken env)\n',
    );
    expect(existsSync(other)).toBe(true);
  });

  test('in the name of exec’s command are refused, and no other program is run', async () => {
    writeFileSync(join(home.dir, '\x1bx\uFFFD'), '#!/bin/sh\necho the other\n', { mode: 0o755 });
    const options = { cwd: home.dir, wrapper: withArgument(`./\\033${BAD}`) };
    const { code, stdout, stderr } = await home.gwtoken(['exec', '--'], options);
    expect({ code, stdout }).toEqual({ code: 125, stdout: '' });
    expect(stderr).toMatch(/^gwtoken: error: the argument ".\/\\u001bx\uFFFD" is not UTF-8, /);
  });

  test('are refused by the mark that stands for them where there is no /proc, as on macOS', async ({
    skip,
  }) => {
    // Bun does not start without /proc.
    skip(notPackage !== undefined, notPackage);
    skip(namespaceUnavailable() !== undefined, namespaceUnavailable());
    const without = inNamespace('mount -t tmpfs none /proc');
    const wrapper = [...without, ...withVariable('BAD_BYTES', BAD), ...withArgument(BAD)];
    const { code, stderr } = await home.gwtoken(['exec', '--', 'true'], { wrapper });
    expect({ code, stderr }).toEqual({
      code: 125,
      stderr:
        'gwtoken: error: the argument "x\uFFFD" is not UTF-8, so the command would get different bytes\n' +
        'hint: unset BAD_BYTES, or run the command without gwtoken exec, after: eval $(gwtoken env)\n',
    });
  });

  test.runIf(LINUX)('are told from the mark that stands for them, which arrives', async () => {
    const marked = await home.gwtoken(['exec', '--', 'printf', '%s', 'x\uFFFD'], {
      env: { MARK: '\uFFFD' },
    });
    expect(marked).toMatchObject({ code: 0, stdout: 'x\uFFFD', stderr: '' });
  });

  test('in a variable are refused by exec, which names it', async () => {
    const options = { wrapper: withVariable('BAD_BYTES', BAD) };
    const { code, stderr } = await home.gwtoken(['exec', '--', 'true'], options);
    expect(code).toBe(125);
    expect(stderr).toBe(
      'gwtoken: error: the environment variable BAD_BYTES is not UTF-8, so the command would get different bytes\n' +
        'hint: unset BAD_BYTES, or run the command without gwtoken exec, after: eval $(gwtoken env)\n',
    );
    expect(await home.gwtoken(['get'], options)).toMatchObject({
      code: 0,
      stdout: 'the-token\n',
      stderr: '',
    });
  });

  test.runIf(LINUX)('in a variable’s name are refused by exec as well', async () => {
    const wrapper = ['sh', '-c', `exec env "$(printf '\\033${BAD}')=value" "$@"`, 'sh'];
    const { code, stderr } = await home.gwtoken(['exec', '--', 'true'], { wrapper });
    expect(code).toBe(125);
    expect(stderr).toBe(
      'gwtoken: error: the environment variable \\u001bx\uFFFD is not UTF-8, so the command would get different bytes\n' +
        'hint: unset \\u001bx\uFFFD, or run the command without gwtoken exec, after: eval $(gwtoken env)\n',
    );
  });

  test('in the secret are refused', async () => {
    const options = { wrapper: withVariable('GWTOKEN_CLIENT_SECRET', BAD) };
    const { code, stdout, stderr } = await home.gwtoken(['get'], options);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(
      /^gwtoken: error: the client secret from GWTOKEN_CLIENT_SECRET is not UTF-8 text\n/,
    );
    expect(endpoint.posts).toHaveLength(0);
  });
});

test.runIf(LINUX)('a process is told by its parent and its state, whatever it calls itself', () => {
  const { title } = process;
  onCleanup(() => {
    process.title = title;
  });
  process.title = 'a) Z 1 (b';
  expect(procStat('self')).toMatchObject({ state: 'R', parent: process.ppid });
  expect(procStat(2 ** 30)).toBeUndefined();
});
