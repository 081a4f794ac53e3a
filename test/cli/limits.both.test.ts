/** What the system refuses: files, a home. Each is said in one line, and blamed on nobody else. */
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startTokenEndpoint } from '../harness/endpoints/token-endpoint';
import { inVariables } from '../harness/homes/client';
import { openHome } from '../harness/homes/home';
import { runProgram } from '../harness/programs/program';

test('a limit of open files is told in one line, whatever could not be opened', async ({ needs }) => {
  // Bun does not start with so few.
  needs('posix', 'package');
  const home = openHome(inVariables((await startTokenEndpoint()).authUrl));
  const seen = new Set<string>();
  for (let files = 17; files <= 24; files++) {
    const wrapper = ['sh', '-c', `ulimit -n ${files} && exec "$@"`, 'sh'];
    const { code, stderr } = await home.gwtoken(['get', '--no-cache'], { wrapper });
    // Node itself, before the first line of gwtoken.
    if (/^node:/.test(stderr) || code === null) continue;
    seen.add(`${code} ${stderr.replace(/\w+ failed/, '… failed')}`);
  }
  const said =
    'gwtoken: error: a system limit is reached: … failed (EMFILE)\nhint: to see the limits, run: ulimit -a\n';
  expect(seen).toEqual(new Set([`1 ${said}`, '0 ']));
});

test.skipIf(process.platform === 'win32')(
  'a HOME that is empty or relative gets nothing made in it',
  async () => {
    const endpoint = await startTokenEndpoint();
    const home = openHome();
    for (const HOME of ['', 'relative']) {
      const env = { ...inVariables(endpoint.authUrl), HOME };
      const options = { env, cwd: home.dir };
      expect(await runProgram(['get'], options)).toMatchObject({ code: 0, stderr: '' });
      const set = await runProgram(['config', 'set', 'timeout', '5s'], options);
      expect(set.code).not.toBe(0);
      expect(set.stderr).toMatch(/^gwtoken: error: .*\nhint: set .*GWTOKEN_CONFIG_DIR/);
      const doctor = await runProgram(['doctor', '--json'], options);
      expect(doctor.stdout).toMatch(/"name":"cache directory","result":"warning"/);
    }
    expect(readdirSync(home.dir)).toEqual(['home']);
  },
);
