/** stdout and stderr as slow, full or closed pipes, files and devices. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { writeAll } from '../../../src/system/terminal/streams';
import { onCleanup } from '../../harness/clean-up';
import { type IdentityServer, startIdentityServer } from '../../harness/endpoints/identity-server';
import { inVariables } from '../../harness/homes/client';
import { openDirectory } from '../../harness/homes/directory';
import { type Home, openHome } from '../../harness/homes/home';
import { GWTOKEN_SH, runCommand } from '../../harness/programs/program';

/** Opens a pipe without a reader as descriptor 3. With `| head -c0`, gwtoken could write before head ends. */
const OPEN_BROKEN_PIPE = 'exec 3> >(:); wait $!;';

const NO_SPACE =
  /^gwtoken: error: cannot write output: no space left on device\nhint: free some disk space, or write elsewhere\n$/;

test.skipIf(process.platform === 'win32')(
  'writeAll waits for a full non-blocking pipe without using the processor',
  async () => {
    const dir = openDirectory();
    const [pipe, copy] = [join(dir, 'pipe'), join(dir, 'copy')];
    execFileSync('mkfifo', [pipe]);
    const descriptor = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
    onCleanup(() => closeSync(descriptor));
    // The text has more bytes than characters.
    const text = 'ü'.repeat(150_000);
    const slow = `sleep 1; exec head -c ${Buffer.byteLength(text)} <"$0" >"$1"`;
    const reader = spawn('sh', ['-c', slow, pipe, copy], { stdio: 'ignore' });
    onCleanup(() => reader.kill('SIGKILL'));
    const ended = once(reader, 'exit');
    const before = process.cpuUsage();
    writeAll(descriptor, text);
    const { user, system } = process.cpuUsage(before);
    expect(user + system).toBeLessThan(400_000);
    expect(await ended).toEqual([0, null]);
    expect(readFileSync(copy, 'utf8')).toBe(text);
  },
);

describe.concurrent('standard streams', () => {
  let identity: IdentityServer;
  let home: Home;
  beforeAll(async () => {
    identity = await startIdentityServer();
    home = openHome(inVariables(identity.authUrl));
    home.configure({ retries: 4 });
    // Fills the cache, so that the tests also cover the quick path's own writing.
    await home.gwtoken(['get']);
  });

  /** Runs a bash line with a function `gwtoken` that runs the tested program. */
  const bash = (line: string) =>
    runCommand(['bash', '-c', `gwtoken() { ${GWTOKEN_SH} "$@"; }; ${line}`], home);

  test.for([
    [`${OPEN_BROKEN_PIPE} gwtoken get >&3; echo $?`, '141\n', /^$/],
    [`${OPEN_BROKEN_PIPE} gwtoken --help >&3; echo $?`, '141\n', /^$/],
    ['gwtoken get >/dev/full; echo $?', '1\n', NO_SPACE],
    ['gwtoken --version >/dev/full; echo $?', '1\n', NO_SPACE],
    ['gwtoken get --bad 2>/dev/full; echo $?', '2\n', /^$/],
    ['gwtoken get --no-cache >&-; echo $?', '0\n', /^$/],
    ['gwtoken get --bad 2>&-; echo $?', '2\n', /^$/],
  ] as const)('the line "%s" prints %j', async ([line, stdout, stderr], { needs }) => {
    needs('linux');
    const result = await bash(line);
    expect(result.stdout).toBe(stdout);
    expect(result.stderr).toMatch(stderr);
  });

  test('a stream has colours if it is a terminal, even if the other one is not', async ({ needs }) => {
    needs('posix');
    const shown = async (args: readonly string[], line: string) => {
      const { exit, raw } = home.terminal(args, {
        env: { PAGER: 'cat' },
        wrapper: ['sh', '-c', line, '-'],
      });
      await exit;
      return raw();
    };
    const coloured = await shown(['help', 'network'], '"$@" 2>/dev/null');
    expect(coloured.startsWith('\x1b[1mTHE NETWORK')).toBe(true);
    const bad = ['get', '--bad'];
    const red = await shown(bad, '"$@" >/dev/null');
    expect(red.startsWith('gwtoken: \x1b[31merror:\x1b[39m ')).toBe(true);
    expect(await shown(bad, '"$@" 2>&1 >/dev/null | cat')).toBe(stripVTControlCharacters(red));
  });
});
