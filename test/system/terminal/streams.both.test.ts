import { stripVTControlCharacters } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { type IdentityServer, startIdentityServer } from '../../harness/endpoints/identity-server';
import { inVariables } from '../../harness/homes/client';
import { type Home, openHome } from '../../harness/homes/home';
import { GWTOKEN_SH, runCommand } from '../../harness/programs/program';

/** Opens a pipe without a reader as descriptor 3. With `| head -c0`, gwtoken could write before head ends. */
const OPEN_BROKEN_PIPE = 'exec 3> >(:); wait $!;';

/** The output of a failing env, without the statement of its end. */
const UNSET = ['ACCESS_TOKEN', 'TOKEN_TYPE', 'EXPIRES_AT', 'SCOPE'].map((name) => `unset GWTOKEN_${name};\n`);

const NO_SPACE = /^gwtoken: error: cannot write output: no space left on device\n$/;

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
    ['gwtoken env -r mars <&- 2>&-', `${UNSET.join('')}sh -c "exit 2";\n`, /^$/],
  ] as const)('the line "%s" prints %j', async ([line, stdout, stderr], { needs }) => {
    needs('linux');
    const result = await bash(line);
    expect(result.stdout).toBe(stdout);
    expect(result.stderr).toMatch(stderr);
  });

  test('a stream has colours if it is a terminal, even if the other one is not', async ({ needs }) => {
    needs('posix');
    const shown = async (args: readonly string[], line: string) => {
      const { exit, raw } = home.terminal(args, { wrapper: ['sh', '-c', line, '-'] });
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
